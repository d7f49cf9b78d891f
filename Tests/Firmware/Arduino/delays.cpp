// Waits by delay(), micros(), millis() and TCNT0 in the forms that sketches use, with times that do not divide each other,
// for the tests that skip such loops.

#include <Arduino.h>

static volatile unsigned long period = 4321;
static unsigned long shown;

/// Waits until a time by the sign of a difference, which is correct across a wrap of micros().
static void waitUntil(unsigned long moment) {
  while ((long)(micros() - moment) < 0) yield();
}

static void waitFor(unsigned span) {
  unsigned start = micros();
  while ((unsigned)(micros() - start) < span) {
    if (Serial.available()) return;
  }
}

static void waitTicks(uint8_t ticks) {
  uint8_t start = TCNT0;
  while ((uint8_t)(TCNT0 - start) < ticks) {}
}

void setup() {
  Serial.begin(115200);
  pinMode(13, OUTPUT);
  // A compare match sets flags in the middle of each period of timer 0.
  analogWrite(6, 128);
}

void loop() {
  delay(250);
  Serial.println(micros());
  waitUntil(micros() + 12345);
  waitFor(60000u);
  waitTicks(100);
  Serial.println(TCNT0);
  unsigned long start = micros(), turns = 0;
  while (micros() - start < 40 * period) turns++;
  Serial.println(turns);
  while (millis() - shown < 700) {}
  shown = millis();
  while (micros() % 1000 > 500) {}
  while (!(TIFR0 & _BV(TOV0)) && TCNT0 < 200) {}
  digitalWrite(13, !digitalRead(13));
  delayMicroseconds(50);
  Serial.println(shown);
}
