import Barometry
package import Schema

/// The grammar of expectations: `that` says what is judged, the other keys how.
package enum ExpectationSchema {
  package static let trends = PressureTrend.allCases.map { "\($0.name)" }

  /// What is expected of firmware, in short: a line that ends its run.
  package static let line = Section(
    "A line of firmware that is waited for, in short; where more is expected, a list says it.",
    [
      .required(
        "uart", .text,
        "a regular expression: a line of a UART that matches it is expected, and ends the run")
    ])

  package static let expectations: [String: Section] = [
    "pressure": agreement(.pressure, .pressure),
    "temperature": agreement(.temperature, .temperatureDifference),
    "humidity": agreement(.humidity, .humidity),
    "forecast": Section(
      "The forecasts: one at a time, or which of them come in the whole run.",
      [
        .optional("at", .quantity(.duration), "with 'is': when"),
        .optional(
          "is", .word(trends + ["none"]), "the last forecast at or before that time"),
        .optional("reaches", .list(.word(trends)), "each of these comes at least once"),
        .optional("never", .list(.word(trends)), "none of these ever comes, and some other does"),
      ]),
    "leak": Section(
      "What the watch for leaks says.",
      [
        .optional("by", .quantity(.duration), "a leak is declared no later"),
        .optional("found", .text, "the search finds this module, and no other"),
        .optional("never", .boolean, "true: no leak is ever declared"),
      ]),
    "safe-haven": Section(
      "Whether the crew is called to its safe haven.",
      [
        .optional("by", .quantity(.duration), "it is called no later"),
        .optional("never", .boolean, "true: it is never called"),
      ]),
    "pressure-alarm": Section(
      "Whether the pressure of a cabin is said to be one that people cannot be in.",
      [
        .optional("by", .quantity(.duration), "it is said no later"),
        .optional("never", .boolean, "true: it is never said"),
        .optional(
          "is", .word(CabinLevel.alarms),
          "which alarm; either of them unless given, each as 'notify' and the events call it"),
      ]),
    "faults": Section(
      "The planned faults.",
      [.required("all", .word(["fired"]), "every fault fired as often as planned")]),
    "transfers": Section(
      "The transfers on the buses.",
      [
        .required("errors", .integer(0...Int.max), "how many failed"),
        .optional("bus", RigSchema.busNumber, "on this bus only"),
      ]),
    "uart": Section(
      "What firmware says.",
      [
        .required("matches", .text, "a regular expression that a line matches somewhere"),
        .optional(
          "port", .text,
          "lines of this port only: of a serial one as the data sheet calls it, RTT0 to RTT7 or semihosting"
        ),
      ]),
    "energy": Section(
      "What firmware and its sensors take of a battery.",
      [
        .optional("below", .quantity(.charge), "they take less than this"),
        .optional(
          "per", .word(CalendarSpan.allCases.map(\.rawValue)),
          "with 'below': in the mean of such a time; in the whole run unless given"),
        .optional("lasts", .quantity(.duration), "a battery lasts at least as long"),
        .optional("on", .quantity(.charge), "with 'lasts': what it holds; 225mAh unless given"),
      ]),
    "flash": memory("The flash that an image fills.", "it is less than this"),
    "ram": memory("The RAM that an image wants for its variables.", "it is less than this"),
    "stack": memory(
      "How deep the stack of firmware goes, in memory that is painted before.",
      "it never is as deep as this"),
    "beside": Section(
      "What the program with defects shows: one quantity, always between two values.",
      [
        .optional(
          "at", .quantity(.duration),
          "judges the average of the last cycle that began by then, and no reading"),
        .optional("pressure", .list(.quantity(.pressure)), "from and to"),
        .optional("temperature", .list(.quantity(.temperature)), "from and to"),
      ]),
    "readings": Section(
      "The readings.", [.required("count", .integer(1...Int.max), "how many came")]),
  ]

  private static func memory(_ summary: String, _ meaning: String) -> Section {
    Section(summary, [.required("below", .quantity(.size), meaning)])
  }

  private static func agreement(_ quantity: QuantityKind, _ difference: QuantityKind) -> Section {
    var section = Section(
      "Every reading (or average) is near the air or a fixed value, or in a range.",
      [
        .optional("within", .quantity(difference), "with 'of': how near"),
        .optional(
          "of", .either([.word(["environment"]), .quantity(quantity)]),
          "with 'within': 'environment', or a fixed value"),
        .optional("min", .quantity(quantity), "none is below this; no limit unless given")
          .alsoSpelled("above", "least", "minimum", "from"),
        .optional("max", .quantity(quantity), "none is above this; no limit unless given")
          .alsoSpelled("below", "most", "maximum", "to"),
        .optional("after", .quantity(.duration), "only readings after this time"),
        .optional("mean", .boolean, "true judges the averages of the cycles"),
        .optional("bus", RigSchema.busNumber, "readings of this bus only"),
        .optional("address", .anyAddress, "readings of this address only"),
      ])
    section.alternatives = ["within", "min", "max"]
    return section
  }
}
