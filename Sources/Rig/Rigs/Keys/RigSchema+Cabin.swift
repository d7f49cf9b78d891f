import Environment
package import Schema

extension RigSchema {
  package static let cabin = Section(
    "The air of a pressurised cabin in vacuum: modules, hatches, a leak, and what is done.",
    [
      .optional("air", .section(air), "the air at first; 1013.25hPa, 21C, 50% unless given"),
      .required("modules", .list(.section(module)), "its rooms"),
      .optional("hatches", .list(.section(hatch)), "the hatches between them; none unless given"),
      .optional("leak", .section(leak), "a hole to vacuum; none unless given"),
      .optional(
        "process", .word(CabinPlan.Process.allCases.map(\.rawValue)),
        "isothermal (right for slow leaks) unless given, or adiabatic"),
      .optional(
        "operations", .list(.variants(discriminator: "do", operations)),
        "what is done, in order of time"),
      .optional("swing", .section(swing), "a swing of the temperature; none unless given"),
      .optional("warming", .section(warming), "a lasting change of the temperature"),
    ])

  package static let module = Section(
    "A room.",
    [
      .required("name", .text, "its name"),
      .required("volume", .quantity(.volume), "its volume"),
    ])

  package static let hatch = Section(
    "A hatch.",
    [
      .required("between", .list(.text), "the names of two modules"),
      .optional("closed", .boolean, "whether it is closed at first; false unless given"),
    ])

  package static let leak = Section(
    "A hole to vacuum; the flow is choked.",
    [
      .required("module", .text, "which module has it"),
      .required("hole", .quantity(.length), "its diameter"),
      .optional("discharge", .number(0.01...1), "its discharge coefficient; 0.85 unless given"),
      .optional("at", .quantity(.duration), "from when on; 0s unless given"),
    ])

  package static let operations: [String: Section] = [
    "close": operation("A hatch is closed.", between),
    "open": operation("A hatch is opened; pressures become equal.", between),
    "mend": operation("The hole is mended."),
    "repressurise": operation(
      "Air comes in.", .required("module", .text, "where"),
      .required("rate", .quantity(.pressureRate), "how fast, in all that is joined with it"),
      .required("for", .quantity(.duration), "how long")),
  ]

  private static let between = Section.Field.required(
    "between", .list(.text), "the names of the two modules")

  private static func operation(_ summary: String, _ more: Section.Field...) -> Section {
    Section(summary, [.required("at", .quantity(.duration), "when")] + more)
  }

  package static let swing = Section(
    "A swing of the temperature.",
    [
      .required("amplitude", .quantity(.temperatureDifference), "half of its height"),
      .optional("period", .quantity(.duration), "92min (an orbit) unless given"),
    ])

  package static let warming = Section(
    "A lasting change of the temperature.",
    [
      .required("by", .quantity(.temperatureChange), "how much"),
      .optional("begin", .quantity(.duration), "from when on; 0s unless given"),
      .required("over", .quantity(.duration), "for how long"),
    ])

  package static let leakWatch = Section(
    "A watch for leaks, as a crew keeps it.",
    [
      .optional(
        "limit", .quantity(.pressure), "the pressure at which the crew leaves; 490mmHg unless given"
      ),
      .optional(
        "haven", .quantity(.duration),
        "below which reserve time the search stops and the crew goes to its safe haven; 10min unless given"
      ),
      .optional(
        "search", .quantity(.duration),
        "a crew closes hatches to find the leak, each for half of T1mm at most: how long it takes to reach one; without it nobody searches"
      ),
    ])
}
