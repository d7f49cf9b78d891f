// The weather station of the thesis for an Arduino Uno: five samples ten seconds apart every half hour, two hours of
// history in EEPROM, a forecast. Its output equals that of the Swift version line by line. All arithmetic is integer,
// because a double has 32 bits on AVR.

#include <Arduino.h>
#include <Wire.h>
#include <avr/eeprom.h>
#include <avr/power.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

// ---- Time: Timer 1 at 15,625 Hz, extended beyond 16 bits. An Uno has no clock that runs in a deeper sleep mode.

static const uint32_t second = 15625;
static volatile uint32_t overflows;

ISR(TIMER1_OVF_vect) { overflows++; }
EMPTY_INTERRUPT(TIMER1_COMPA_vect);

static void startClock() {
  // millis() is not used, and its timer interrupt would end every sleep.
  TIMSK0 = 0;
  TCCR1A = 0;
  TCCR1B = _BV(CS12) | _BV(CS10);
  TIFR1 = _BV(TOV1) | _BV(OCF1A);
  TIMSK1 = _BV(TOIE1) | _BV(OCIE1A);
}

static uint64_t ticks() {
  noInterrupts();
  uint16_t low = TCNT1;
  uint32_t high = overflows;
  if (TIFR1 & _BV(TOV1) && low < 0x8000) high++;
  interrupts();
  return (uint64_t)high << 16 | low;
}

// Sleeps until a tick: the compare interrupt ends the last timer period, the overflow interrupt those before.
static void waitUntil(uint64_t target) {
  noInterrupts();
  OCR1A = (uint16_t)target;
  interrupts();
  set_sleep_mode(SLEEP_MODE_IDLE);
  while (true) {
    uint64_t now = ticks();
    if (now >= target) return;
    // With fewer than three ticks left, the compare match may be missed.
    if (target - now < 3) continue;
    sleep_mode();
  }
}

// 64 us per tick, rounded up, plus one for the tick in progress.
static void waitMicroseconds(uint32_t microseconds) { waitUntil(ticks() + (microseconds + 63) / 64 + 1); }

// ---- The sensor. Each step returns the word for its error message, or nullptr on success.

static const uint8_t address = 0x76;
static const uint8_t control = 0x24;
static uint8_t calibration[33];
static int32_t fine;

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

static const char *startSensor() {
  uint8_t byte = 0;
  waitMicroseconds(2000);
  if (!readRegisters(0xD0, &byte, 1) || byte != 0x60) return "identity";
  if (!writeRegister(0xE0, 0xB6)) return "reset";
  for (uint8_t polls = 0;; polls++) {
    waitMicroseconds(polls ? 1000 : 2000);
    if (polls == 150 || !readRegisters(0xF3, &byte, 1)) return "reset";
    if (!(byte & 1)) break;
  }
  if (!readRegisters(0x88, calibration, 26) || !readRegisters(0xE1, calibration + 26, 7)) return "calibration";
  bool alike = true;
  for (uint8_t i = 1; i < 24; i++) alike = alike && calibration[i] == calibration[0];
  if (alike) return "calibration";
  if (!writeRegister(0xF2, 0) || !writeRegister(0xF5, 0) || !writeRegister(0xF4, control)) return "settings";
#ifdef TORN_READS
  // Injected defect, here and below: the sensor runs in normal mode and is read byte by byte.
  if (!writeRegister(0xF4, control | 3)) return "settings";
  waitMicroseconds(10000);
#endif
  return nullptr;
}

static uint16_t unsignedAt(uint8_t index) { return calibration[index] | (uint16_t)calibration[index + 1] << 8; }

static int16_t signedAt(uint8_t index) {
#ifdef LOW_BYTE_DEFECT
  // Injected defect of the original thesis: the low byte is sign-extended and from 0x80 overwrites the high byte.
  if (index >= 8) return (int16_t)((int16_t)((uint16_t)calibration[index + 1] << 8) | (int16_t)(int8_t)calibration[index]);
#endif
  return (int16_t)unsignedAt(index);
}

static int32_t temperature(int32_t adc) {
  int32_t t1 = unsignedAt(0), t2 = signedAt(2), t3 = signedAt(4);
  int32_t d = (adc >> 4) - t1;
  fine = ((((adc >> 3) - (t1 << 1)) * t2) >> 11) + ((((d * d) >> 12) * t3) >> 14);
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

// Measures in forced mode: waits for the maximum conversion time, then polls the status and verifies the settings.
static const char *measure(int32_t *celsius, uint32_t *pascals) {
  uint8_t bytes[8];
#ifdef TORN_READS
  for (uint8_t i = 0; i < 6; i++) {
    if (!readRegisters(0xF7 + i, bytes + i, 1)) return "data";
    waitMicroseconds(4000);
  }
#else
  if (!writeRegister(0xF4, control | 1)) return "trigger";
  for (uint8_t polls = 0;; polls++) {
    waitMicroseconds(polls ? 1000 : 6425);
    if (polls == 150 || !readRegisters(0xF2, bytes, 4)) return "wait";
    if (!(bytes[2] & 3) && !(bytes[1] & 8)) break;
  }
  if (bytes[0] != 0 || bytes[2] != control || bytes[3] != 0) return "wait";
  if (!readRegisters(0xF7, bytes, 6)) return "data";
#endif
  *celsius = temperature((int32_t)bytes[3] << 12 | (int32_t)bytes[4] << 4 | bytes[5] >> 4);
  *pascals = pressure((int32_t)bytes[0] << 12 | (int32_t)bytes[1] << 4 | bytes[2] >> 4);
  return nullptr;
}

// ---- The history: a ring of records with checksums in EEPROM. A record that was not written completely is ignored.

struct Record {
  // The number of the cycle, from 1.
  uint32_t number;
  // The sum of the pressures in Pa; bits 31:24 hold the number of samples.
  uint32_t sum;
  uint32_t checksum;
};

static const uint8_t slots = 1024 / sizeof(Record);
static uint8_t nextSlot;
// The points of the last two hours, oldest first.
static Record history[5];
static uint8_t points;

static uint32_t checksum(const Record &record) {
  const uint8_t *bytes = (const uint8_t *)&record;
  uint32_t state = 0xFFFFFFFF;
  for (uint8_t i = 0; i < 8; i++) {
    state ^= bytes[i];
    for (uint8_t bit = 0; bit < 8; bit++) state = state & 1 ? state >> 1 ^ 0xEDB88320 : state >> 1;
  }
  return ~state;
}

static bool readRecord(uint8_t slot, Record &record) {
  eeprom_read_block(&record, (const void *)(slot * sizeof(Record)), sizeof record);
  return record.checksum == checksum(record) && record.number > 0 && record.sum >> 24 > 0;
}

// Drops points older than two hours, which is four cycles.
static void dropExpired(uint32_t number) {
  while (points > 0 && number - history[0].number > 4) {
    points--;
    memmove(history, history + 1, points * sizeof(Record));
  }
}

// Loads the records within the duration of the history; returns the number of the latest.
static uint32_t restore() {
  Record record;
  uint32_t latest = 0;
  for (uint8_t slot = 0; slot < slots; slot++) {
    if (!readRecord(slot, record) || record.number <= latest) continue;
    latest = record.number;
    nextSlot = (slot + 1) % slots;
  }
  for (uint8_t i = 0; i < slots; i++) {
    if (!readRecord((nextSlot + i) % slots, record) || record.number + 4 < latest) continue;
    if (points == 5 || (points > 0 && record.number <= history[points - 1].number)) continue;
    history[points++] = record;
  }
  return latest;
}

static void keep(uint32_t number, uint32_t sum, uint8_t count) {
  Record record = {number, (uint32_t)count << 24 | sum, 0};
  record.checksum = checksum(record);
  history[points++] = record;
  eeprom_update_block(&record, (void *)(nextSlot * sizeof(Record)), sizeof record);
  nextSlot = (nextSlot + 1) % slots;
}

// ---- Output.

// Prints a number with a fixed number of decimals: 26202 with three is 26.202.
static void printFixed(int32_t number, uint8_t digits) {
  uint32_t size = 1, rest = number < 0 ? -(uint32_t)number : number;
  for (uint8_t i = 0; i < digits; i++) size *= 10;
  if (number < 0) Serial.print('-');
  Serial.print(rest / size);
  Serial.print('.');
  for (rest %= size; size > 1; rest %= size) {
    size /= 10;
    Serial.print((char)('0' + rest / size));
  }
}

// Returns a quotient, rounded half away from 0.
static int32_t quotient(int32_t dividend, int32_t divisor) {
  return (dividend + (dividend < 0 ? -divisor : divisor) / 2) / divisor;
}

// Returns the first point after the last gap of more than an hour, which is two cycles.
static uint8_t firstOfRun() {
  uint8_t first = points - 1;
  while (first > 0 && history[first].number - history[first - 1].number <= 2) first--;
  return first;
}

static void forecast(uint32_t number) {
  Serial.print(F(", forecast "));
  const Record *last = history + points - 1, *first = points ? history + firstOfRun() : last;
  if (points == 0 || number != last->number || last == first) {
    Serial.print(F("none"));
    return;
  }
  // The rate in thousandths of hPa/h from Pa per half hour; sums of up to five samples are compared as fractions.
  int32_t sums[2] = {(int32_t)(first->sum & 0xFFFFFF), (int32_t)(last->sum & 0xFFFFFF)};
  int32_t counts[2] = {(int32_t)(first->sum >> 24), (int32_t)(last->sum >> 24)};
  int32_t divisor = counts[0] * counts[1] * (int32_t)(last->number - first->number);
  int32_t rate = 20 * (sums[1] * counts[0] - sums[0] * counts[1]);
  if (rate >= 2500 * divisor) Serial.print(F("notStable"));
  else if (rate > 500 * divisor) Serial.print(F("goodWeather"));
  else if (rate >= -500 * divisor) Serial.print(F("stable"));
  else if (rate > -2500 * divisor) Serial.print(F("rainy"));
  else Serial.print(F("thunderStorm"));
  Serial.print(F(", rate "));
  printFixed(quotient(rate, divisor), 3);
  Serial.print(F(" hPa/h"));
}

// ---- The station.

static bool isStarted;
static uint32_t number;
static uint64_t start;

static void prepare() {
  if (isStarted) return;
  const char *problem = startSensor();
  isStarted = !problem;
  if (!problem) return;
  Serial.print(F("error: the sensor's "));
  Serial.println(problem);
}

void setup() {
  // After a watchdog reset the watchdog keeps running with its shortest timeout.
  MCUSR = 0;
  wdt_disable();
  Serial.begin(115200);
  Wire.begin();
  power_adc_disable();
  power_spi_disable();
  power_timer2_disable();
  startClock();
  number = restore() + 1;
  Serial.print(F("station of the thesis, "));
  Serial.print(points);
  Serial.println(F(" points kept"));
  prepare();
  start = ticks();
}

void loop() {
  int32_t warmth = 0;
  uint32_t sum = 0;
  uint8_t count = 0;
  for (uint8_t sample = 0; sample < 5; sample++) {
    Serial.flush();
    waitUntil(start + (uint64_t)(sample * 10 * second));
    prepare();
    if (!isStarted) continue;
    int32_t celsius;
    uint32_t pascals;
    const char *problem = measure(&celsius, &pascals);
    if (problem) {
      isStarted = false;
      Serial.print(F("error: the sensor's "));
      Serial.println(problem);
      continue;
    }
    warmth += celsius;
    sum += pascals;
    count++;
    Serial.print(F("temperature "));
    printFixed(celsius, 2);
    Serial.print(F(" C, pressure "));
    printFixed((int32_t)pascals, 2);
    Serial.println(F(" hPa"));
  }
  dropExpired(number);
  Serial.print(F("cycle "));
  Serial.print(number);
  Serial.print(F(", samples "));
  Serial.print(count);
  if (count >= 3) {
    Serial.print(F(", mean temperature "));
    printFixed(quotient(warmth * 10, count), 3);
    Serial.print(F(" C, mean pressure "));
    printFixed(quotient((int32_t)sum * 10, count), 3);
    Serial.print(F(" hPa"));
    keep(number, sum, count);
  }
  forecast(number);
  Serial.println();
  number++;
  start += 1800 * second;
}
