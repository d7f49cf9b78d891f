// A front panel: a button at D2 with an interrupt, a light at D13, a voltage at A0, a tone at D8, and a prompt that answers
// lines. Presses within 200 ms count as one, because the contact also bounces when it opens.

#include <Arduino.h>

static volatile unsigned edges = 0;
static void count() { edges++; }

void setup() {
  Serial.begin(9600);
  pinMode(2, INPUT_PULLUP);
  pinMode(13, OUTPUT);
  attachInterrupt(0, count, FALLING);
  tone(8, 500);
  Serial.print("> ");
}

void loop() {
  static unsigned presses = 0, total = 0;
  static unsigned long last = 0;
  static String line;
  noInterrupts();
  unsigned fresh = edges;
  edges = 0;
  interrupts();
  if (fresh > 0) {
    total += fresh;
    if (last == 0 || millis() - last > 200) {
      digitalWrite(13, HIGH);
      Serial.print("press ");
      Serial.println(++presses);
    }
    last = millis();
  }
  while (Serial.available()) {
    char c = Serial.read();
    if (c != '\n') {
      line += c;
    } else {
      if (line == "volts") {
        Serial.println(analogRead(A0));
      } else if (line == "edges") {
        Serial.println(total);
      } else {
        Serial.print("unknown ");
        Serial.println(line);
      }
      line = "";
      Serial.print("> ");
    }
  }
}
