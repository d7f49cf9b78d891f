import Barometry
package import Schema

/// The schema of expectations: the key `that` selects the subject, and the other keys set the
/// condition.
package enum ExpectationSchema {
  package static let trends = PressureTrend.allCases.map { "\($0.name)" }

  /// The short form of an expectation for firmware: a line that it must print and that ends the
  /// run.
  package static let line = Section(
    "The short form for one line that the firmware must print; use a list for further expectations.",
    [
      .required(
        "uart", .text,
        "a regular expression: a matching line of a UART is expected, and ends the run")
    ])

  package static let expectations: [String: Section] = [
    "pressure": agreement(.pressure, .pressure),
    "temperature": agreement(.temperature, .temperatureDifference),
    "humidity": agreement(.humidity, .humidity),
    "forecast": Section(
      "The forecasts: the one at a given time, or those of the whole run.",
      [
        .optional("at", .quantity(.duration), "with 'is': the time"),
        .optional(
          "is", .word(trends + ["none"]), "the last forecast at or before that time"),
        .optional("reaches", .list(.word(trends)), "forecasts that each occur at least once"),
        .optional(
          "never", .list(.word(trends)), "forecasts that do not occur, while another one does"),
      ]),
    "leak": Section(
      "The result of the leak detection.",
      [
        .optional("by", .quantity(.duration), "the latest time at which a leak is declared"),
        .optional("found", .text, "the only module that the search finds"),
        .optional("never", .boolean, "true: no leak is declared"),
      ]),
    "safe-haven": Section(
      "The call to the safe haven.",
      [
        .optional("by", .quantity(.duration), "the latest time of the call"),
        .optional("never", .boolean, "true: there is no call"),
      ]),
    "pressure-alarm": Section(
      "The alarm for a cabin pressure outside the habitable range.",
      [
        .optional("by", .quantity(.duration), "the latest time of the alarm"),
        .optional("never", .boolean, "true: there is no alarm"),
        .optional(
          "is", .word(CabinLevel.alarms),
          "the alarm, by its name in 'notify' and in the events; default: either"),
      ]),
    "faults": Section(
      "The injected faults.",
      [.required("all", .word(["fired"]), "every fault fired as often as configured")]),
    "transfers": Section(
      "The transfers on the buses.",
      [
        .required("errors", .integer(0...Int.max), "the number of failed transfers"),
        .optional("bus", RigSchema.busNumber, "the bus; default: all buses"),
      ]),
    "uart": Section(
      "The output of firmware.",
      [
        .required("matches", .text, "a regular expression that a line contains"),
        .optional(
          "port", .text,
          "the port of the line: a UART by its name in the datasheet, RTT0 to RTT7 or semihosting; default: any"
        ),
      ]),
    "pin": Section(
      "A pin that firmware drives: its level at a time, or limits for all its periods or pulses.",
      [
        .required("pin", .text, "the pin, by its name in the datasheet").example("P0.17"),
        .optional(
          "level", .word(["high", "low"]), "the level, with 'at', 'by' or 'pulse'; default: high"),
        .optional("at", .quantity(.duration), "the time at which the pin has the level"),
        .optional("by", .quantity(.duration), "the latest time at which the pin reaches the level"),
        .optional(
          "frequency", .list(.quantity(.frequency)),
          "the lowest and the highest frequency of a period"
        ).example("[490Hz, 510Hz]"),
        .optional(
          "duty", .list(.number(0...100)), "the lowest and the highest duty cycle of a period, in %"
        ).example("[45, 55]"),
        .optional(
          "pulse", .list(.quantity(.duration)), "the shortest and the longest pulse with the level"
        ).example("[1ms, 2ms]"),
        .optional("after", .quantity(.duration), "checks only periods and pulses after this time"),
      ]),
    "energy": Section(
      "The charge that firmware and its sensors draw from a battery.",
      [
        .optional("below", .quantity(.charge), "the upper limit of the charge"),
        .optional(
          "per", .word(CalendarSpan.allCases.map(\.rawValue)),
          "with 'below': the average over this period; default: the total of the run"),
        .optional("lasts", .quantity(.duration), "the shortest battery life"),
        .optional("on", .quantity(.charge), "with 'lasts': the battery capacity; default: 225mAh"),
      ]),
    "flash": memory("The flash size of an image.", "the upper limit"),
    "ram": memory("The RAM size of an image: its variables.", "the upper limit"),
    "stack": memory(
      "The largest stack depth of firmware, measured by stack painting.", "the upper limit"),
    "beside": Section(
      "The values of the program with defects: every value of a quantity lies in a range.",
      [
        .optional(
          "at", .quantity(.duration),
          "checks the average of the last cycle that began by this time instead of the readings"),
        .optional("pressure", .list(.quantity(.pressure)), "the lower and the upper limit"),
        .optional("temperature", .list(.quantity(.temperature)), "the lower and the upper limit"),
      ]),
    "readings": Section(
      "The readings.", [.required("count", .integer(1...Int.max), "the number of readings")]),
  ]

  private static func memory(_ summary: String, _ meaning: String) -> Section {
    Section(summary, [.required("below", .quantity(.size), meaning)])
  }

  private static func agreement(_ quantity: QuantityKind, _ difference: QuantityKind) -> Section {
    var section = Section(
      "Every reading (or average) is close to the air or to a fixed value, or in a range.",
      [
        .optional("within", .quantity(difference), "with 'of': the tolerance"),
        .optional(
          "of", .either([.word(["environment"]), .quantity(quantity)]),
          "with 'within': 'environment', or a fixed value"),
        .optional("min", .quantity(quantity), "the lower limit; default: none")
          .alsoSpelled("above", "least", "minimum", "from"),
        .optional("max", .quantity(quantity), "the upper limit; default: none")
          .alsoSpelled("below", "most", "maximum", "to"),
        .optional("after", .quantity(.duration), "checks only readings after this time"),
        .optional(
          "mean", .boolean, "whether the averages of the cycles are checked; default: false"),
        .optional("bus", RigSchema.busNumber, "checks only readings of this bus"),
        .optional("address", .anyAddress, "checks only readings of this address"),
      ])
    section.alternatives = ["within", "min", "max"]
    return section
  }
}
