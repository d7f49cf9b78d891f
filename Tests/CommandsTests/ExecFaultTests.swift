import Foundation
import Testing

/// Faults injected by options of the command line.
struct ExecFaultTests {
  @Test("an injected fault affects the program and is reported at the end")
  func fires() throws {
    let flipped = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0",
      options: ["--fault", "kind: bit-flip, register: 0xD0, mask: 2"])
    #expect(flipped.output == "0x62\n0x60\n")
    let report = "aneroid: fault bit-flip on bus 1 fired 1 of 1 times, at "
    #expect(flipped.errors.hasPrefix(report), "\(flipped.errors)")
    #expect(flipped.errors.hasSuffix(" s (transfer 1)\n"), "\(flipped.errors)")
    let late = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0", options: ["--fault", "kind: nack-address, at: 1h"])
    #expect(late.errors.contains("fault nack-address on bus 1 fired 0 of 1 times"))
  }

  @Test("wire faults are injected on a replayed bus")
  func replayed() throws {
    let bus = ["--bus", "trace:fixtures/traces/saph.i2ctrace", "--replay", "model"]
    let script = "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0"
    let plain = try VirtualBusBench.shell(script, options: bus)
    #expect(plain.output == "0x60\n0x60\n0x60\n")
    let faults = [
      "--fault", "kind: bit-flip, register: 0xD0, direction: read, mask: 2",
      "--fault", "kind: nack-address, after: 1", "--fault", "kind: bus-error, at: 1h",
    ]
    let faulty = try VirtualBusBench.shell(script, options: bus + faults)
    #expect(faulty.output == "0x62\n0x60\n")
    let reports = faulty.errors.split(separator: "\n").filter { $0.hasPrefix("aneroid: fault") }
    #expect(
      reports.map { $0.prefix { $0 != "," } } == [
        "aneroid: fault bit-flip on bus 1 fired 1 of 1 times",
        "aneroid: fault nack-address on bus 1 fired 1 of 1 times",
        "aneroid: fault bus-error on bus 1 fired 0 of 1 times",
      ], "\(faulty.errors)")
    #expect(reports.map { $0.hasSuffix(" (transfer 1)") } == [true, false, false])
    #expect(reports.map { $0.hasSuffix(" (transfer 2)") } == [false, true, false])
  }

  @Test("wire faults are injected on a hardware adapter, here a virtual /dev/i2c-1")
  func physical() throws {
    let tool = CommandLineTool.path.path
    let read = [tool, "read", "--bus", "/dev/i2c-1", "--format", "csv"]
    let plain = try VirtualBusBench.exec(read)
    #expect(plain.status == 0)
    let nacked = try VirtualBusBench.exec(read + ["--fault", "kind: nack-address, address: 0x76"])
    #expect(nacked.status == 69)
    #expect(nacked.errors.contains("address not acknowledged (message 0, ENXIO)"))
    #expect(nacked.errors.contains("aneroid: fault nack-address on bus 1 fired 1 of 1 times"))
    let elsewhere = try VirtualBusBench.exec(
      read + ["--fault", "kind: nack-address, address: 0x77"])
    #expect(elsewhere.status == 0)
    #expect(elsewhere.errors.contains("fired 0 of 1 times"))
    let rig = """
      name: physical
      clock: real
      duration: 1s
      buses: [{number: 1, physical: /dev/i2c-1}]
      pipeline: {bus: 1, samples: 2, sample_every: 100ms, cycle: 500ms, forecast: none}
      faults: [{kind: nack-address, register: 0xF7, count: 1}]
      expect: [{that: readings, count: 3}, {that: transfers, errors: 1}, {that: faults, all: fired}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try VirtualBusBench.exec([tool, "run", path])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
  }

  @Test(
    "without a virtual sensor, faults within a sensor are rejected; a missing adapter is reported",
    arguments: ["exec", "read"])
  func refused(_ command: String) throws {
    func run(_ bus: String, _ fault: String) throws -> CommandLineTool.Result {
      let end = command == "exec" ? ["--", "true"] : []
      return try VirtualBusBench.run([command, "--bus", bus, "--fault", fault] + end)
    }
    for kind in ["power-loss", "frozen", "wrong-calibration"] {
      let result = try run("trace:fixtures/traces/saph.i2ctrace", "kind: \(kind)")
      #expect(result.status == 78)
      #expect(
        result.errors.contains(
          "'\(kind)' acts on a virtual part, but bus 1 has none (accepted: nack-address,"
        ), "\(result.errors)")
    }
    let bridge = try run("trace:fixtures/traces/saph.i2ctrace", "kind: bridge-lost")
    #expect(bridge.status == 78)
    #expect(bridge.errors.contains("bus 1 has no bridge"))
    let absent = try run("/dev/i2c-250", "kind: nack-address")
    #expect(absent.status == 69)
    #expect(absent.errors.contains("/dev/i2c-250: cannot be opened: the node does not exist"))
  }

  @Test("faults of every kind are injected into virtual sensors")
  func read() throws {
    func read(_ fault: String) throws -> CommandLineTool.Result {
      try VirtualBusBench.run([
        "read", "--bus", "rig:rigs/thesis.yaml", "--format", "csv", "--fault", fault,
      ])
    }
    let late = try read("kind: offset, pressure: 5hPa, at: 1h")
    let off = try read("kind: offset, pressure: 5hPa")
    #expect(late.errors == "aneroid: fault offset on bus 1 fired 0 times\n")
    #expect(off.errors.hasPrefix("aneroid: fault offset on bus 1 fired once, at "))
    #expect(off.output != late.output)
  }

  /// A client that looks at a node, its entries in /sys and its transfers before, during and after an absence.
  private static let watcher = """
    import errno, fcntl, os, time

    def chip(file):
        try:
            os.write(file, b"\\xd0")
            return hex(os.read(file, 1)[0])
        except OSError as error:
            return errno.errorcode[error.errno]

    def look(title):
        listed = [name for folder in ["/dev", "/sys/bus/i2c/devices", "/sys/class/i2c-adapter", "/sys/class/i2c-dev"]
                  for name in os.listdir(folder) if name in ("i2c-1", "1-0077")]
        paths = [os.path.exists(path) for path in ["/dev/i2c-1", "/sys/dev/char/89:1", "/sys/class/i2c-adapter/i2c-1/name"]]
        print(title, len(listed), paths)

    def opened():
        file = os.open("/dev/i2c-1", os.O_RDWR)
        fcntl.ioctl(file, 0x0703, 0x76)
        return file

    old = opened()
    look("before")
    print(chip(old))
    time.sleep(10)
    look("meanwhile")
    print(chip(old))
    try:
        opened()
    except OSError as error:
        print(errno.errorcode[error.errno])
    fcntl.ioctl(old, 0x0703, 0x76)
    time.sleep(10)
    look("after")
    print(chip(old), chip(opened()))
    """

  @Test(
    "an unplugged adapter takes its node and its entries along; files that were open stay dead",
    arguments: [VirtualBusBench.User.asIs, .unprivileged])
  func unplugged(_ user: VirtualBusBench.User) throws {
    let rig = """
      name: hot-plug
      duration: 1h
      buses:
        - number: 1
          devices: [{address: 0x76, model: bme280}, {address: 0x77, model: bme280, bound: true}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try VirtualBusBench.exec(
        ["/usr/bin/python3", "-c", Self.watcher],
        options: [
          "--rig", path, "--clock", "virtual", "--fault",
          "kind: adapter-unplugged, at: 5s, for: 10s",
        ], as: user)
      #expect(
        result.output == """
          before 5 [True, True, True]
          0x60
          meanwhile 0 [False, False, False]
          ENODEV
          ENOENT
          after 5 [True, True, True]
          ENODEV 0x60

          """, "\(result.errors)")
      for text in [
        "/dev/i2c-1 is unplugged", "/dev/i2c-1 is plugged in again",
        "fault adapter-unplugged on bus 1 fired 1 of 1 times, at 5 s",
      ] {
        #expect(result.errors.contains(text), "\(result.errors)")
      }
    }
  }

  @Test(
    "the parts restart with an adapter that supplies them, and keep their settings with another",
    arguments: [("true", "0x00"), ("false", "0x10")])
  func supplied(_ supplies: String, _ config: String) throws {
    let result = try VirtualBusBench.shell(
      "i2cset -y 1 0x76 0xf5 0x10; sleep 20; i2cget -y 1 0x76 0xf5",
      options: [
        "--clock", "virtual", "--fault",
        "kind: adapter-unplugged, at: 5s, for: 10s, supplies: \(supplies)",
      ])
    #expect(result.output == config + "\n", "\(result.errors)")
  }

  @Test("an absence that the program did not notice is reported as well")
  func unnoticed() throws {
    let fault = ["--clock", "virtual", "--fault", "kind: adapter-unplugged, at: 1s, for: 1s"]
    let asleep = try VirtualBusBench.shell("sleep 3", options: fault)
    #expect(asleep.errors.contains("fired 1 of 1 times, at 1 s"), "\(asleep.errors)")
    let late = try VirtualBusBench.shell("sleep 3; i2cget -y 1 0x76 0xd0", options: fault)
    #expect(late.output == "0x60\n")
    // The times are those of the changes, not that of the next transfer.
    for text in ["is unplugged, at 1 s", "is plugged in again, at 2 s"] {
      #expect(asleep.errors.contains(text) && late.errors.contains(text), "\(late.errors)")
    }
  }

  @Test(
    "the channels of a multiplexer vanish with the adapter below them; they cannot be unplugged")
  func channels() throws {
    let rig = """
      name: channels
      duration: 1h
      buses:
        - number: 1
          devices: [{address: 0x70, model: tca9548a, channels: [11, 12]}]
        - {number: 11, devices: [{address: 0x76, model: bme280}]}
        - {number: 12, devices: [{address: 0x76, model: bme280}]}
      """
    try CommandLineTool.withFile(rig) { path in
      func run(_ bus: Int) throws -> CommandLineTool.Result {
        try VirtualBusBench.shell(
          "i2cget -y 11 0x76 0xd0; sleep 10; ls /dev | grep -c i2c-; sleep 10; i2cget -y 12 0x76 0xd0",
          options: [
            "--rig", path, "--clock", "virtual", "--fault",
            "kind: adapter-unplugged, bus: \(bus), at: 5s, for: 10s",
          ])
      }
      #expect(try run(1).output == "0x60\n0\n0x60\n")
      let channel = try run(11)
      #expect(channel.status == 78)
      #expect(channel.errors.contains("bus 11 is a channel of a multiplexer"), "\(channel.errors)")
    }
  }

  @Test(
    "a run on an adapter that is unplugged fails with ENODEV meanwhile, and continues afterwards")
  func run() throws {
    let rig = """
      name: unplugged
      duration: 10min
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      pipeline: {samples: 1, cycle: 1min, forecast: none}
      faults: [{kind: adapter-unplugged, at: 2.5min, for: 2min}]
      expect: [{that: readings, count: 7}, {that: faults, all: fired}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(
        result.output.split(separator: "\n").count { $0.contains("ENODEV") } == 2,
        "\(result.output)")
    }
  }

  @Test("an error in the value of --fault gives exit status 78 and names the wrong word")
  func mistake() throws {
    let result = try VirtualBusBench.shell("true", options: ["--fault", "kind: bit-flop"])
    #expect(result.status == 78)
    #expect(result.errors.contains("'bit-flop'") && result.errors.contains("bit-flip"))
    let part = try VirtualBusBench.shell("true", options: ["--fault", "kind: nack"])
    #expect(part.errors.contains("; did you mean 'nack-address' or 'nack-data'?"), "\(part.errors)")
  }
}
