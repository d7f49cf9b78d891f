// A thermostat: reads a TMP102 over Wire every second, and heats by PWM at D9 in proportion to what is missing to 30 C.
// The light at D13 is on while the temperature is within 2 C of that.

#include <Arduino.h>
#include <Wire.h>

void setup() {
  Serial.begin(115200);
  Wire.begin();
  pinMode(13, OUTPUT);
}

void loop() {
  Wire.beginTransmission(0x48);
  Wire.write((uint8_t)0);
  Wire.endTransmission(false);
  if (Wire.requestFrom(0x48, 2) != 2) {
    Serial.println(F("no sensor"));
  } else {
    int16_t raw = Wire.read() << 8;
    raw |= Wire.read();
    // 1/16 C per bit, in the upper 12 bits.
    int16_t missing = 30 * 16 - (raw >> 4);
    analogWrite(9, constrain(missing * 4, 0, 255));
    digitalWrite(13, abs(missing) <= 32);
    Serial.println((raw >> 4) / 16.0);
  }
  delay(1000);
}
