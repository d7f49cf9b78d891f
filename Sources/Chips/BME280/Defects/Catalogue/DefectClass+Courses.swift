extension DefectClass {
  /// Classes that only show in air with a course of its own, on a faster bus, or in a long run.
  package static let courses = [
    DefectClass(
      "B60", "the last value shown again when a read fails, or for ever after it",
      symptom:
        "values that stay while the air changes; a sensor that was unplugged still reads well",
      hiddenBy: "air that does not change, and a bus that does not fail",
      fix: "show no value of a reading that failed, or say how old it is",
      evidence: "BME280_SensorAPI 29, 35; own mutants"),
    DefectClass(
      "B61", "whole number and decimals printed apart: the sign of -0.4 or the 0 of 19.07 is lost",
      symptom: "0.43 C for -0.43 C, 19.7 C for 19.07 C",
      hiddenBy: "all air but that of -1 to 0 C, and decimals from .10 on",
      fix: "print the sign by itself, and the decimals with leading zeros",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B62", "a wait counted in transfers, which is too short on a faster bus",
      symptom: "each reading shows the measurement before, or power-on values",
      hiddenBy: "a bus at 100 kHz",
      fix: "wait for the longest measurement by a clock, then look at the status",
      datasheet: "9.1", evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B63", "a result kept for as long as its own raw value stays, though it depends on others",
      symptom: "pressure or humidity that does not follow the temperature",
      hiddenBy: "raw values that all change at once",
      fix: "compute all three anew: the fine temperature is part of each", datasheet: "4.2.3",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B64", "a correction that grows with the time since the start",
      symptom: "right values at first, which drift away within minutes or hours",
      hiddenBy: "every test that is short",
      fix: "correct a value by what was measured, not by how long the program runs",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B65", "something opened or taken for each reading and never given back",
      symptom: "no more readings after an hour or a day: too many open files, or no memory",
      hiddenBy: "every test that is short",
      fix: "open the bus once, or close it on every path",
      evidence: "own mutants only; no public driver is known"),
    DefectClass(
      "B66", "a change that is not shown: too large or too small to be believed, or not yet due",
      symptom: "a value that stays for some readings while the air changes",
      hiddenBy: "steady air, and changes of the size that was tried",
      fix: "show what was measured; leave filters to the user, and say so",
      evidence: "own mutants only; no public driver is known"),
  ]
}
