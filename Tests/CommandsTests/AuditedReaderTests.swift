import Foundation
import TestSupport
import Testing

/// Regression tests: readers that the audit once judged incorrectly.
struct AuditedReaderTests {
  private static let measurement =
    "            temperature, pressure, humidity = sensor.measure()\n"

  private static let report =
    "            print(f\"no reading: {error}\", file=sys.stderr, flush=True)\n"

  /// The correct reader with replaced parts of its source.
  private static func reader(_ changes: (text: String, other: String)...) throws -> [String] {
    var source = try Fixtures.text("Tests/Peers/audit/reader.py")
    for (text, other) in changes {
      #expect(source.contains(text))
      source = source.replacing(text, with: other)
    }
    return ["/usr/bin/python3", try Mutants.written(source, name: "reader-\(UUID()).py")]
  }

  /// Returns the audit of a program on some benches.
  private static func audit(
    _ scenarios: [String], _ program: [String]
  ) throws -> CommandLineTool.Result {
    try AuditTests.audit(scenarios.flatMap { ["--scenario", $0] }, program)
  }

  @Test("with the IIR filter on, a humidity compensated with the lagging temperature is right")
  func filtered() throws {
    let program = try Self.reader(("self.write(0xF5, 0x00)", "self.write(0xF5, 0x08)"))
    let names = ["weather", "failures-in-weather", "same-codes", "unplugged"]
    let result = try Self.audit(names, program)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test("the displayed value 'nan' is recognised with any sign", arguments: ["nan", "-nan", "NaN"])
  func notANumber(_ text: String) throws {
    let program = try Self.reader(
      (
        "            print(line, flush=True)\n",
        """
                    if temperature < -20:
                        line = line.replace(f"{pressure / 100:.2f}", "\(text)")
                    print(line, flush=True)

        """
      ))
    let result = try AuditTests.audit(["--scenario", "weather"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("pressure \(text)"), "\(result.output)")
  }

  @Test("a program that measures once and keeps displaying the value fails")
  func once() throws {
    let program = try Self.reader(
      (
        Self.measurement,
        """
                    if not globals().get("shown"):
                        globals()["shown"] = sensor.measure()
                    temperature, pressure, humidity = globals()["shown"]

        """
      ))
    let result = try AuditTests.audit(["--scenario", "calm"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("measured once and displayed as"), "\(result.output)")
  }

  @Test("a program that displays an old measurement as new fails")
  func cached() throws {
    let program = try Self.reader(
      (
        Self.measurement,
        """
                    if time.monotonic() - globals().get("made", -9) > 1.5:
                        globals()["shown"] = sensor.measure()
                        globals()["made"] = time.monotonic()
                    temperature, pressure, humidity = globals()["shown"]

        """
      ))
    let result = try Self.audit(["calm"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(
      result.output.contains("readings repeat an earlier measurement"),
      "\(result.output)")
  }

  @Test("with the IIR filter on, a program that displays old values after a failed read is wrong")
  func filteredAgain() throws {
    let program = try Self.reader(
      ("self.write(0xF5, 0x00)", "self.write(0xF5, 0x08)"),
      (Self.report, "            print(globals().get(\"line\", error), flush=True)\n"),
      (
        "            print(line, flush=True)\n",
        """
                    globals()["line"] = line
                    print(line, flush=True)

        """
      ))
    let result = try Self.audit(["failures-in-weather"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("wrong     failures-in-weather"), "\(result.output)")
  }

  @Test("a program that ignores a NACK of the register address displays wrong values")
  func pointer() throws {
    let program = try Self.reader(
      (
        "        os.write(self.file, bytes([register]))\n",
        """
                try:
                    os.write(self.file, bytes([register]))
                except OSError:
                    pass

        """
      ))
    let result = try Self.audit(["nack-pointer"], program)
    #expect(result.output.contains("wrong     nack-pointer"), "\(result.output)")
  }

  @Test("a failure that a program does not catch, although it handles other failures, is a finding")
  func ended() throws {
    let program = try Self.reader(
      ("    sensor = None\n    while", "    sensor, due = None, time.monotonic()\n    while"),
      (
        "        time.sleep(1)\n",
        """
                due += 1
                time.sleep(due - time.monotonic())

        """
      ))
    let result = try Self.audit(["nack-eremoteio", "stuck-sda"], program)
    #expect(result.output.contains("right     nack-eremoteio"), "\(result.output)")
    #expect(result.output.contains("failed    stuck-sda"), "\(result.output)")
    #expect(
      result.output.contains("ended by an error that it does not handle like others: ValueError"),
      "\(result.output)")
  }

  @Test("a program that reports errors forever after a short power loss fails")
  func unrecovered() throws {
    let program = try Self.reader(
      (
        "        self.write(0xF2, 0x01)\n",
        """
                if not hasattr(self, "is_set"):
                    self.write(0xF2, 0x01)
                self.is_set = True
                if self.read(0xF2, 1)[0] != 1:
                    raise OSError("it has lost its settings")

        """
      ),
      ("            if sensor:\n                sensor.close()\n            sensor = None\n", ""))
    let result = try Self.audit(["power-loss", "stuck-sda"], program)
    #expect(result.output.contains("right     stuck-sda"), "\(result.output)")
    #expect(result.output.contains("failed    power-loss"), "\(result.output)")
    #expect(result.output.contains("no values after a transient failure"), "\(result.output)")
  }

  @Test("the long-run scenario finds a 32-bit clock that overflows after 35.8 minutes")
  func overflow() throws {
    let program = try Self.reader(
      (
        Self.measurement,
        """
                    passed = time.monotonic() - globals().setdefault("start", time.monotonic())
                    now = (int(passed * 1e6) + 2**31) % 2**32 - 2**31
                    if now - globals().get("last", -(10**6)) >= 900_000:
                        globals()["last"], globals()["shown"] = now, sensor.measure()
                    temperature, pressure, humidity = globals()["shown"]

        """
      ))
    let result = try Self.audit(["calm", "weather", "long-run"], program)
    #expect(result.output.contains("right     weather"), "\(result.output)")
    #expect(result.output.contains("wrong     long-run"), "\(result.output)")
  }

  @Test("data read in several transfers during measurements are a finding, even if consistent")
  func parts() throws {
    let program = try Self.reader(
      ("        self.write(0xF4, 0x25)\n", "        self.write(0xF4, 0x27)\n"),
      (
        "        self.wait(0x01)\n        self.write(0xF5, 0x00)\n",
        """
                if not hasattr(self, "is_set"):
                    self.is_set = True
                    self.write(0xF5, 0xA0)

        """
      ),
      (
        "        data = self.read(0xF7, 8)\n",
        "        data = self.read(0xF7, 3) + self.read(0xFA, 5)\n"
      ))
    let result = try Self.audit(["torn"], program)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("values may mix two measurements"), "\(result.output)")
  }

  @Test("values combined from several measurements within tenths of a second are right")
  func drawnOut() throws {
    let program = try Self.reader(
      (
        Self.measurement,
        """
                    temperature = sensor.measure()[0]
                    time.sleep(0.05)
                    pressure = sensor.measure()[1]
                    time.sleep(0.05)
                    humidity = sensor.measure()[2]

        """
      ))
    let result = try Self.audit(["weather", "same-codes", "long-run"], program)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test(
    "data read faults affect a reader that starts at a register other than 0xF7",
    arguments: [
      "nack-data", "nack-eremoteio", "stuck-sda", "lost-reading",
    ])
  func otherRegister(_ scenario: String) throws {
    let program = try Self.reader(
      ("        data = self.read(0xF7, 8)\n", "        data = self.read(0xF2, 13)[5:]\n"))
    let result = try Self.audit([scenario], program)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(!result.output.contains("not run"), "\(result.output)")
  }

  @Test(
    "a program that tries again after a short power loss, never configures the part and gives up fails"
  )
  func givesUp() throws {
    let program = try Self.reader(
      (
        "        self.write(0xF2, 0x01)\n",
        """
                if not hasattr(self, "is_set"):
                    self.write(0xF2, 0x01)
                self.is_set = True
                if self.read(0xF2, 1)[0] != 1:
                    raise OSError("it has lost its settings")

        """
      ),
      (
        "            if sensor:\n                sensor.close()\n            sensor = None\n",
        """
                    globals()["lost"] = globals().get("lost", 0) + 1
                    if globals()["lost"] == 12:
                        sys.exit("giving up")

        """
      ))
    let result = try Self.audit(["power-loss"], program)
    #expect(result.output.contains("failed    power-loss"), "\(result.output)")
    #expect(result.output.contains("although the failure had passed"), "\(result.output)")
  }

  @Test("a program without a pause, which tries again at once, is right after a short power loss")
  func restless() throws {
    let program = try Self.reader(("        time.sleep(1)\n", "        time.sleep(0)\n"))
    let result = try Self.audit(["power-loss"], program)
    #expect(result.output.contains("right     power-loss"), "\(result.output)")
  }

  @Test("a program that ends with an error at its third reading has reported it")
  func endsWithError() throws {
    let program = try Self.reader((Self.report, "            raise\n"))
    let result = try Self.audit(["nack-eremoteio"], program)
    #expect(result.output.contains("reported  nack-eremoteio"), "\(result.output)")
    #expect(result.output.contains("exit status 1 after 2 readings"), "\(result.output)")
  }

  @Test("a program that ends after five readings is not judged in a long run")
  func shortRun() throws {
    let program = try Self.reader(
      (
        "        time.sleep(1)\n",
        """
                globals()["rounds"] = globals().get("rounds", 0) + 1
                if globals()["rounds"] == 5:
                    sys.exit(0)
                time.sleep(1)

        """
      ))
    let result = try Self.audit(["calm", "long-run", "long-outage"], program)
    #expect(result.output.contains("not run   long-run"), "\(result.output)")
    #expect(result.output.contains("not run   long-outage"), "\(result.output)")
    #expect(
      result.output.contains("ended after 5 readings, before 2200 readings"), "\(result.output)")
  }

  @Test(
    "the age of a cached value taken from the wall clock is a finding when the clock is set back")
  func wallClockAge() throws {
    let program = try Self.reader(
      (
        Self.measurement,
        """
                    cached = globals().get("cached")
                    if cached is None or time.time() - cached[0] >= 0.5:
                        cached = globals()["cached"] = (time.time(), sensor.measure())
                    temperature, pressure, humidity = cached[1]

        """
      ))
    let result = try Self.audit(["weather", "clock-step"], program)
    #expect(result.output.contains("right     weather"), "\(result.output)")
    #expect(result.output.contains("wrong     clock-step"), "\(result.output)")
    #expect(result.output.contains("likely B69"), "\(result.output)")
  }

  @Test("a status that is read within a longer read is stuck, too")
  func statusInBurst() throws {
    let program = try Self.reader(
      (
        "            if not self.read(0xF3, 1)[0] & bit:\n",
        "            if not self.read(0xF2, 4)[1] & bit:\n"
      ),
      ("        raise OSError(\"the sensor stays busy\")\n", "        raise ValueError(\"busy\")\n")
    )
    let result = try Self.audit(["stuck-measuring"], program)
    #expect(result.output.contains("busy"), "\(result.output)")
  }
}
