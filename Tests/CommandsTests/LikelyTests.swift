import TestSupport
import Testing

/// The defects that an audit names if no decoding explains the values.
struct LikelyTests {
  private static func audit(_ source: String, _ name: String, _ scenario: String) throws -> String {
    let path = try Mutants.written(source, name: name)
    let options = ["--scenario", "calm", "--scenario", scenario]
    return try AuditTests.audit(options, ["/usr/bin/python3", path]).output
  }

  @Test("a defect that the audit would have detected on the bus is not named as the cause")
  func unheard() throws {
    // Only on that bench is the humidity unexplained, but the reader triggers each measurement and
    // reads it at once.
    let text = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
      "return min(max(value, 0), 100)",
      with: "return value * value / 30 if 19 < self.fine / 5120 < 20 else value")
    for scenario in ["torn", "torn-by-repeated-starts"] {
      let output = try Self.audit(text, "unheard.py", scenario)
      #expect(output.contains("wrong     \(scenario)"), "\(output)")
      #expect(!output.contains("likely B30"), "\(output)")
    }
  }

  @Test("reading bytes one by one during measurements is detected and named")
  func heard() throws {
    let mutant = try #require(Mutants.of("reader.py").first { $0.classID == "B30" })
    let output = try Self.audit(mutant.source, "heard.py", "torn")
    #expect(output.contains("likely B30"), "\(output)")
  }

  @Test("the only possible bus defect is named even without evidence of it on the bus")
  func only() throws {
    // With a part in the middle of a measurement, the humidity differs.
    let text = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
      "return min(max(value, 0), 100)",
      with: "return value * value / 30 if 27 < self.fine / 5120 < 29 else value")
    let output = try Self.audit(text, "only.py", "left-measuring")
    #expect(output.contains("likely B23"), "\(output)")
  }

  @Test(
    "a defect that appears in only one scenario is named in that scenario",
    arguments: [
      ("B57", "words that come later", "late-calibration"),
      ("B58", "a reply that does not come", "lost-calibration-reply"),
      ("B59", "the mean of five measurements", "lost-reading"),
    ])
  func here(_ id: String, _ words: String, _ scenario: String) throws {
    let mutant = try #require(
      Mutants.of("reader.py").first { $0.classID == id && $0.title.contains(words) })
    let output = try Self.audit(mutant.source, "\(scenario).py", scenario)
    #expect(output.contains("right     calm") && output.contains("wrong     \(scenario)"))
    #expect(output.contains("likely \(id)"), "\(output)")
  }

  @Test(
    "a defect that the course of the output shows is named",
    arguments: [
      ("B61", "the sign only with the whole number", "just-below-zero"),
      ("B61", "without their leading 0", "small-fractions"),
      ("B65", "at each reading", "long-run"), ("B65", "at each failure", "long-outage"),
      ("B67", "a status that cannot be read", "lost-in-reading"),
      ("B68", "never reset", "scattered-failures"), ("B69", "by the wall clock", "clock-step"),
      ("B71", "a filter of 16", "changing"),
      ("B72", "only at the first start", "replaced"),
    ])
  func course(_ id: String, _ words: String, _ scenario: String) throws {
    let mutant = try #require(
      Mutants.of("reader.py").first { $0.classID == id && $0.title.contains(words) })
    let output = try Self.audit(mutant.source, "\(id)-\(scenario).py", scenario)
    #expect(output.contains("right     calm") && output.contains("likely \(id)"), "\(output)")
  }

  @Test("wrong values of another cause are not named as a defect of the course of the output")
  func otherCause() throws {
    // Only in that air is the humidity unexplained.
    for (condition, scenario) in [
      ("-1 < self.fine / 5120 < 0", "just-below-zero"), ("18.6 < self.fine / 5120", "long-outage"),
    ] {
      let text = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
        "return min(max(value, 0), 100)",
        with: "return value * value / 30 if \(condition) else value")
      let output = try Self.audit(text, "other-\(scenario).py", scenario)
      #expect(output.contains("wrong     \(scenario)"), "\(output)")
      #expect(!output.contains(/likely B6[0-7]/), "\(output)")
    }
  }

  @Test("a program whose time limit ends in the outage is not judged by it")
  func limited() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py").replacing(
      "        time.sleep(1)\n",
      with: "        for _ in range(2000):\n            time.sleep(0.0005)\n")
    let path = try Mutants.written(text, name: "restless.py")
    let result = try AuditTests.audit(
      KillRateTests.values + ["--timeout", "2s", "--scenario", "long-outage"],
      ["/usr/bin/python3", path])
    #expect(result.output.contains("not run   long-outage"), "\(result.output)")
    #expect(result.output.contains("the time limit was reached before the end of the outage"))
  }

  @Test("a program may give up during a long outage, in any way")
  func givesUp() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py")
      .replacing(
        "    sensor = None\n    while True:",
        with: "    sensor, failures = None, 0\n    while True:"
      )
      .replacing(
        "            sensor = None\n        time",
        with: """
                      sensor, failures = None, failures + 1
                      if failures == 20:
                          raise
                  time
          """)
    let output = try Self.audit(text, "gives-up.py", "long-outage")
    #expect(!output.contains("failed"), "\(output)")
  }
}
