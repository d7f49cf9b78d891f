// Reads a BME280 over Wire and prints the results of the datasheet's integer formulas every second, for the tests of the
// virtual ATmega328P; built with the Arduino core, Wire and Serial.

#include <Arduino.h>
#include <Wire.h>

static const uint8_t address = 0x76;
static uint8_t low[26], high[7];

static bool readRegisters(uint8_t first, uint8_t *bytes, uint8_t count) {
  Wire.beginTransmission(address);
  Wire.write(first);
  if (Wire.endTransmission(false) != 0) return false;
  if (Wire.requestFrom(address, count) != count) return false;
  for (uint8_t i = 0; i < count; i++) bytes[i] = Wire.read();
  return true;
}

static bool writeRegister(uint8_t which, uint8_t value) {
  Wire.beginTransmission(address);
  Wire.write(which);
  Wire.write(value);
  return Wire.endTransmission() == 0;
}

static uint16_t unsignedAt(uint8_t index) { return low[index] | (uint16_t)low[index + 1] << 8; }
static int16_t signedAt(uint8_t index) { return (int16_t)unsignedAt(index); }

static int32_t fine;

static int32_t temperature(int32_t adc) {
  int32_t t1 = unsignedAt(0), t2 = signedAt(2), t3 = signedAt(4);
  int32_t a = (((adc >> 3) - (t1 << 1)) * t2) >> 11;
  int32_t d = (adc >> 4) - t1;
  int32_t b = (((d * d) >> 12) * t3) >> 14;
  fine = a + b;
  return (fine * 5 + 128) >> 8;
}

static uint32_t pressure(int32_t adc) {
  int32_t a = (fine >> 1) - 64000;
  int32_t b = (((a >> 2) * (a >> 2)) >> 11) * (int32_t)signedAt(16);
  b += (a * (int32_t)signedAt(14)) << 1;
  b = (b >> 2) + ((int32_t)signedAt(12) << 16);
  a = ((((int32_t)signedAt(10) * (((a >> 2) * (a >> 2)) >> 13)) >> 3) + (((int32_t)signedAt(8) * a) >> 1)) >> 18;
  a = ((32768 + a) * (int32_t)unsignedAt(6)) >> 15;
  if (a == 0) return 0;
  uint32_t p = ((uint32_t)(1048576 - adc) - (b >> 12)) * 3125;
  p = p < 0x80000000 ? (p << 1) / (uint32_t)a : (p / (uint32_t)a) * 2;
  a = ((int32_t)signedAt(22) * (int32_t)(((p >> 3) * (p >> 3)) >> 13)) >> 12;
  b = ((int32_t)(p >> 2) * (int32_t)signedAt(20)) >> 13;
  return (uint32_t)((int32_t)p + ((a + b + signedAt(18)) >> 4));
}

static uint32_t humidity(int32_t adc) {
  int32_t h1 = low[25], h2 = (int16_t)(high[0] | (uint16_t)high[1] << 8), h3 = high[2];
  int32_t h4 = (int16_t)((uint16_t)(int8_t)high[3] << 4 | (high[4] & 15));
  int32_t h5 = (int16_t)((uint16_t)(int8_t)high[5] << 4 | high[4] >> 4);
  int32_t h6 = (int8_t)high[6];
  int32_t v = fine - 76800;
  int32_t left = ((adc << 14) - (h4 << 20) - h5 * v + 16384) >> 15;
  int32_t right = ((((((v * h6) >> 10) * (((v * h3) >> 11) + 32768)) >> 10) + 2097152) * h2 + 8192) >> 14;
  v = left * right;
  v -= ((((v >> 15) * (v >> 15)) >> 7) * h1) >> 4;
  if (v < 0) v = 0;
  if (v > 419430400) v = 419430400;
  return (uint32_t)(v >> 12);
}

void setup() {
  Serial.begin(115200);
  Wire.begin();
#ifdef WIRE_CLOCK
  Wire.setClock(WIRE_CLOCK);
#endif
  // The sensor copies its calibration within 2 ms after power-on.
  delay(3);
  uint8_t id = 0;
  if (!readRegisters(0xD0, &id, 1)) Serial.println(F("no sensor"));
  Serial.print(F("id "));
  Serial.println(id, HEX);
  readRegisters(0x88, low, sizeof low);
  readRegisters(0xE1, high, sizeof high);
  writeRegister(0xF2, 1);
}

void loop() {
  static unsigned long next = 1000;
  while (millis() < next) {}
  next += 1000;
  writeRegister(0xF4, 0x25);
  delay(50);
  uint8_t data[8];
  if (!readRegisters(0xF7, data, sizeof data)) {
    Serial.println(F("failed"));
    return;
  }
  int32_t p = (int32_t)data[0] << 12 | (int32_t)data[1] << 4 | data[2] >> 4;
  int32_t t = (int32_t)data[3] << 12 | (int32_t)data[4] << 4 | data[5] >> 4;
  int32_t h = (int32_t)data[6] << 8 | data[7];
  Serial.print(millis());
  Serial.print(' ');
  Serial.print(temperature(t));
  Serial.print(' ');
  Serial.print(pressure(p));
  Serial.print(' ');
  Serial.println(humidity(h));
}
