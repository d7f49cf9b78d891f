// A board with a display, a clock and a memory: sets a DS3231, draws a bar on an SSD1306 that is as many pixels long as the
// clock has seconds, and prints a byte that it has stored in an AT24C32.

#include <Arduino.h>
#include <Wire.h>

static const uint8_t start[] = {0xA8, 0x3F, 0xD3, 0x00, 0x40, 0xA1, 0xC8, 0xDA, 0x12, 0xA4,
                                0xA6, 0xD5, 0x80, 0x8D, 0x14, 0x20, 0x00, 0xAF};
// The register 0, then 00:00:10 on Sunday, 1 January 2026; the address 0x0102, then the byte; the columns and page of the bar.
static const uint8_t date[] = {0x00, 0x10, 0x00, 0x00, 0x01, 0x01, 0x01, 0x26};
static const uint8_t stored[] = {0x01, 0x02, 0x2A};
static const uint8_t window[] = {0x21, 0, 127, 0x22, 3, 3};

static void command(uint8_t value) {
  Wire.beginTransmission(0x3C);
  Wire.write((uint8_t)0x00);
  Wire.write(value);
  Wire.endTransmission();
}

static uint8_t seconds() {
  Wire.beginTransmission(0x68);
  Wire.write((uint8_t)0);
  Wire.endTransmission(false);
  Wire.requestFrom(0x68, 1);
  uint8_t value = Wire.read();
  return (value >> 4) * 10 + (value & 15);
}

void setup() {
  Serial.begin(115200);
  Wire.begin();
  for (uint8_t value : start) command(value);
  Wire.beginTransmission(0x68);
  Wire.write(date, sizeof date);
  Wire.endTransmission();
  Wire.beginTransmission(0x57);
  Wire.write(stored, sizeof stored);
  Wire.endTransmission();
  do {
    Wire.beginTransmission(0x57);
    Wire.write((uint8_t)0x01);
    Wire.write((uint8_t)0x02);
  } while (Wire.endTransmission() != 0);
  Wire.requestFrom(0x57, 1);
  Serial.println(Wire.read());
}

void loop() {
  uint8_t length = seconds();
  for (uint8_t value : window) command(value);
  for (uint8_t column = 0; column < 128; column += 16) {
    Wire.beginTransmission(0x3C);
    Wire.write((uint8_t)0x40);
    for (uint8_t i = 0; i < 16; i++) Wire.write((uint8_t)(column + i < length ? 0x3C : 0));
    Wire.endTransmission();
  }
  delay(500);
}
