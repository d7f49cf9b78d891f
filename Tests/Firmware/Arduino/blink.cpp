// Waits by delay() as most sketches do, and prints a line every second.

#include <Arduino.h>

void setup() {
  Serial.begin(115200);
  pinMode(13, OUTPUT);
}

void loop() {
  digitalWrite(13, !digitalRead(13));
  Serial.println(micros());
  delay(1000);
}
