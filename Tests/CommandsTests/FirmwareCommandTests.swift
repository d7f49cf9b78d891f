import Foundation
import TestSupport
import Testing

/// `aneroid firmware` on the command line.
struct FirmwareCommandTests {
  @Test(
    "UART output is standard output, the image's status is the exit status, the detected MCU is reported"
  )
  func hello() throws {
    let result = try CommandLineTool.run("firmware", FirmwareBuild.arm("hello").path)
    #expect(result.status == 7)
    #expect(result.output == "hello from firmware\r\n")
    #expect(
      result.errors.hasSuffix(
        "is assumed to be firmware for nrf52832; use --mcu to choose another\n"))
  }

  @Test("a sketch uses a clock and a memory, and what it draws is printed and written as a picture")
  func display() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "display-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (rig, picture) = (folder.appending(path: "r.yaml"), folder.appending(path: "p.svg"))
    try """
    name: display
    buses:
      - number: 1
        devices:
          - {address: 0x3c, model: ssd1306}
          - {address: 0x68, model: ds3231}
          - {address: 0x57, model: at24c32}
    """.write(to: rig, atomically: true, encoding: .utf8)
    let image = Fixtures.root.appending(path: ".build-peers/firmware/oled.elf").path
    let result = try CommandLineTool.run(
      "firmware", "--mcu", "atmega328p", "--rig", rig.path, "--for", "12s", "--screen",
      picture.path, image)
    #expect(result.output == "42\r\n", "\(result)")
    #expect(result.errors.contains("display 0x3c on bus 1:"))
    // The clock was set to 10 s; 22 pixels wide, 4 high, from row 26.
    let svg = try String(contentsOf: picture, encoding: .utf8)
    let rows = (26..<30).map { "M0 \($0 * 4)h84v4h-84z" }.joined()
    #expect(svg.contains("d=\"\(rows)\""), "\(svg)")
    let none = try CommandLineTool.run(
      "firmware", "--mcu", "atmega328p", "--for", "1s", "--screen", picture.path, image)
    #expect(none.status == 64 && none.errors.contains("the rig has no display"), "\(none)")
  }

  @Test(
    "the PWM of an image has its frequency and duty cycle at the pin, and a timer captures a wave",
    arguments: [("stm32f411", "PA6", "-DSTM32"), ("nrf52832", "P0.17", "-DNRF52")])
  func waves(_ board: String, _ pin: String, _ flag: String) throws {
    let image = try FirmwareBuild.arm("waves", board: board, flags: [flag]).path
    let folder = FileManager.default.temporaryDirectory.appending(path: "waves-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = folder.appending(path: "r.yaml")
    try """
    name: waves
    duration: 4s
    buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
    firmware: {image: \(image), mcu: \(board)}
    stimuli: [{at: 500ms, pin: \(board == "stm32f411" ? "PA1" : "P0.02"), frequency: 400Hz}]
    expect:
      - {that: pin, pin: \(pin), frequency: [999Hz, 1001Hz], duty: [24.9, 25.1], after: 100ms}
    """.write(to: rig, atomically: true, encoding: .utf8)
    let result = try CommandLineTool.run("run", rig.path)
    #expect(result.status == 0 && result.output.contains("3 of 3 expectations met"), "\(result)")
    let periods = result.output.components(separatedBy: "period 2500 us").count - 1
    #expect(periods == (board == "stm32f411" ? 3 : 0), "\(result.output)")
  }

  @Test(
    "an image that is linked for another member of a family is recognised by its stack",
    arguments: [
      ("nrf52832", "nrf52840"), ("stm32f411", "stm32f401"), ("stm32f411", "stm32f405"),
    ])
  func otherMember(_ board: String, _ member: String) throws {
    let image = try FirmwareBuild.arm("hello", board: board, script: "\(member).ld")
    let result = try CommandLineTool.run("firmware", image.path)
    #expect(result.status == 7 && result.output.hasPrefix("hello from firmware"), "\(result)")
    #expect(result.errors.contains("assumed to be firmware for \(member);"), "\(result.errors)")
  }

  @Test(
    "--radio records each packet with its date, channel and CRC, and counts packets of other radios"
  )
  func radio() throws {
    let image = try FirmwareBuild.arm("beacon", flags: ["-DODD=0"]).path
    try CommandLineTool.withFile("", suffix: ".pcap") { path in
      let result = try CommandLineTool.run("firmware", image, "--mcu", "nrf52832", "--radio", path)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      // Nanoseconds, version 2.4, link type 256.
      #expect(bytes.prefix(8) == [0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0])
      #expect(bytes[20..<24] == [0, 1, 0, 0])
      let size = 16 + 10 + 4 + 11 + 3
      #expect(bytes.count == 24 + 6 * size)
      let packets = (0..<6).map { Array(bytes[(24 + $0 * size)..<(24 + ($0 + 1) * size)]) }
      #expect(packets.map { $0[16] } == [0, 12, 39, 0, 12, 39])
      // The access address, the advertisement, and its CRC, which scapy 2.8.0 computed.
      let air: [UInt8] = [
        0xD6, 0xBE, 0x89, 0x8E, 0x42, 9, 0xC0, 0xFF, 0xEE, 0x11, 0x22, 0x33, 2, 1, 6, 0x5E, 0x67,
        0xB4,
      ]
      #expect(packets.allSatisfy { Array($0[26...]) == air })
      let times = packets.map { packet in
        (4..<8).reversed().reduce(0) { $0 << 8 | Int(packet[$1]) }
      }
      // Ramp-up, packet and ramp-down take 298 us; the clock of rest() first starts for 250 ms.
      #expect(abs(times[1] - times[0] - 299_000) < 2000)
      #expect(abs(times[3] - times[0] - 351_000_000) < 1_500_000)
    }
    let silent = try CommandLineTool.run("firmware", image)
    #expect(
      silent.errors.contains("the radio sends its first packet, at 2402 MHz; --radio FILE records"))
    let other = try FirmwareBuild.arm("beacon", flags: ["-DODD=1"]).path
    try CommandLineTool.withFile("", suffix: ".pcap") { path in
      let result = try CommandLineTool.run("firmware", other, "--radio", path)
      #expect(result.errors.contains("6 packets of the radio are not of Bluetooth LE"), "\(result)")
      #expect(try Data(contentsOf: URL(filePath: path)).count == 24)
    }
    let none = try CommandLineTool.run(
      "firmware", FirmwareBuild.avr("avr-hello").path, "--radio", "/tmp/never.pcap")
    #expect(none.status == 64 && none.errors.contains("ATmega328P has no radio that is modelled"))
  }

  @Test("an image for the nRF52832 runs on the larger nRF52840, which is chosen by name")
  func largerMember() throws {
    let result = try CommandLineTool.run(
      "firmware", "--mcu", "nrf52840", FirmwareBuild.arm("hello").path)
    #expect(result.status == 7 && result.output == "hello from firmware\r\n", "\(result)")
    #expect(result.errors.isEmpty)
  }

  @Test("the JSON Lines output contains the UART lines and the end")
  func lines() throws {
    let result = try CommandLineTool.run(
      "firmware", FirmwareBuild.arm("hello").path, "--format", "jsonl")
    #expect(result.outputLines[1].hasSuffix(#""port":"UARTE0","text":"hello from firmware"}"#))
    #expect(result.outputLines.last?.hasSuffix(#""status":7}"#) == true)
    let all = try CommandLineTool.run(
      "firmware", FirmwareBuild.arm("hello").path, "--format", "json")
    #expect(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) is [String: Any])
  }

  @Test("an invalid image gives exit status 65, a missing image 66, and invalid options 64")
  func mistakes() throws {
    try CommandLineTool.withFile("hello", suffix: ".elf") { path in
      let result = try CommandLineTool.run("firmware", path)
      #expect(
        result.status == 65 && result.errors.contains("the file is neither ELF, Intel HEX nor UF2"))
    }
    #expect(try CommandLineTool.run("firmware", "/nowhere.elf").status == 66)
    let hello = try FirmwareBuild.arm("hello").path
    #expect(try CommandLineTool.run("firmware", hello, "--mcu", "z80").status == 64)
    #expect(try CommandLineTool.run("firmware", hello, "--until", "(").status == 64)
    #expect(try CommandLineTool.run("firmware", hello, "--mcu", "stm32f411").status == 65)
  }

  /// The front panel as a sketch, which Tests/prepare has built.
  private static let panel = Fixtures.root.appending(path: ".build-peers/firmware/panel.elf").path

  @Test("standard input is typed line by line, the same in each run")
  func typed() throws {
    let runs = try (0..<2).map { _ in
      try CommandLineTool.run(
        "firmware", Self.panel, "--mcu", "atmega328p", "--uart", "0=stdio", "--for", "3s",
        "--stimulus", "input: 0, voltage: 2.5V", input: "volts\nnonsense\nedges\n")
    }
    #expect(runs[0].output == "> 512\r\n> unknown nonsense\r\n> 0\r\n> \n")
    #expect(runs[0].output == runs[1].output)
    #expect(runs[0].status == 0)
  }

  @Test(
    "the levels of the pins are a VCD file that sigrok-cli reads, with stimuli and waves of timers")
  func dump() throws {
    try CommandLineTool.withFile("", suffix: ".vcd") { path in
      let result = try CommandLineTool.run(
        "firmware", Self.panel, "--mcu", "atmega328p", "--for", "1s", "--vcd", path, "--stimulus",
        "at: 500ms, pin: D2, level: low, for: 10ms")
      #expect(result.status == 0, "\(result.errors)")
      let dump = try String(contentsOfFile: path, encoding: .utf8)
      #expect(dump.hasPrefix("$version aneroid ") && dump.contains("$timescale 1 ns $end"))
      let read = try CommandLineTool.run(
        URL(filePath: "/usr/bin/sigrok-cli"),
        [
          "-I", "vcd:downsample=100000", "-i", path, "-O", "csv:header=false", "-C",
          "PD2",
        ])
      var levels: [Character] = []
      for level in read.output.split(separator: "\n").compactMap(\.last)
      where "01".contains(level) && level != levels.last { levels.append(level) }
      // Low until the program turns on the pull-up, and during the press of the button.
      #expect(levels == ["0", "1", "0", "1"], "\(read.errors)")
    }
    let mistake = try CommandLineTool.run("firmware", Self.panel, "--vcd", Self.panel)
    #expect(mistake.status == 64)
  }

  @Test("a boot loader is added to an application, and fuses are set by the names of avrdude, too")
  func loader() throws {
    let other = try FirmwareBuild.avr("avr-hello", flags: ["-Wl,--section-start=.text=0x7800"]).path
    let both = ["firmware", Self.panel, "--also", other, "--mcu", "atmega328p", "--for", "1s"]
    let loaded = try CommandLineTool.run(CommandLineTool.path, both)
    #expect(loaded.output == "hello from an AVR\r\n", "\(loaded)")
    #expect(loaded.errors.contains("a boot loader begins at 0x7800"))
    for name in ["high", "hfuse"] {
      let direct = try CommandLineTool.run(CommandLineTool.path, both + ["--fuse", "\(name)=0xDF"])
      #expect(direct.output == "> \n", "\(direct)")
    }
    let twice = try CommandLineTool.run(
      CommandLineTool.path, both + ["--also", Self.panel, "--also", other])
    #expect(twice.output == loaded.output, "\(twice)")
    let third = try FirmwareBuild.avr("avr-hello").path
    let mixed = try CommandLineTool.run("firmware", Self.panel, "--also", third)
    #expect(mixed.status == 65 && mixed.errors.contains("overlaps segment"), "\(mixed)")
  }

  @Test("a rig with firmware is run and checked")
  func rig() throws {
    let rig = """
      name: reader
      duration: 5s
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      firmware: {image: \(try FirmwareBuild.arm("reader").path), i2c: {TWIM0: 1}}
      expect:
        - {that: uart, matches: "/temperature 2[0-9]/"}
        - {that: transfers, errors: 0}
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("3 of 3 expectations met"))
    }
    try CommandLineTool.withFile(rig.replacing("2[0-9]", with: "9[0-9]")) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 1, "\(result)")
    }
  }

  @Test("a run ends at the UART line that the rig expects in the short form")
  func awaitedLine() throws {
    let rig = """
      name: reader
      duration: 5s
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      firmware: {image: \(try FirmwareBuild.arm("reader").path)}
      expect: {uart: "/humidity 5[0-9]/"}
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path, "--format", "jsonl")
      #expect(result.status == 0, "\(result)")
      #expect(result.output.components(separatedBy: "\"event\":\"uart\"").count == 2)
    }
    try CommandLineTool.withFile(rig.replacing("5[0-9]", with: "9[0-9]")) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 1, "\(result)")
    }
    let bare = rig.split(separator: "\n").filter { !$0.hasPrefix("firmware:") }
    try CommandLineTool.withFile(bare.joined(separator: "\n")) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 78 && result.errors.contains("'uart' needs 'firmware' in the rig"))
    }
  }

  @Test("an audit finds a planted defect in an image, and none in the correct one")
  func audit() throws {
    let right = try CommandLineTool.run(
      "audit", "--firmware", FirmwareBuild.arm("reader").path, "--scenario", "negative-h4",
      "--scenario", "calm")
    #expect(right.status == 0, "\(right)")
    let wrong = try CommandLineTool.run(
      "audit", "--firmware", FirmwareBuild.arm("reader", flags: ["-DNIBBLE_DEFECT"]).path,
      "--scenario", "negative-h4")
    #expect(wrong.status == 1, "\(wrong)")
    #expect(wrong.output.contains("B02 the nibbles of H4 and H5 in 0xE5 exchanged"), "\(wrong)")
  }

  @Test("an audit names a wrong sign, and accepts values with the same code as a skipped channel")
  func signs() throws {
    let wrong = try CommandLineTool.run(
      "audit", "--firmware", FirmwareBuild.arm("reader", flags: ["-DUNSIGNED_P=4"]).path,
      "--scenario", "calm", "--scenario", "unusual-signs")
    #expect(wrong.status == 1 && wrong.output.contains("right     calm"), "\(wrong)")
    #expect(wrong.output.contains("likely B06 words with the wrong sign"), "\(wrong)")
    let codes = ["temperature", "pressure", "humidity"].flatMap {
      ["--scenario", "code-of-skipped-\($0)"]
    }
    let right = try CommandLineTool.run(
      CommandLineTool.path, ["audit", "--firmware", FirmwareBuild.arm("reader").path] + codes)
    #expect(right.status == 0, "\(right)")
  }

  @Test("an audit reports why an image crashed before it displayed a value")
  func deathWithoutValues() throws {
    let image = try FirmwareBuild.arm("hello", flags: ["-DDIES"]).path
    let result = try CommandLineTool.run(
      CommandLineTool.path, ["audit", "--firmware", image, "--scenario", "calm"])
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("(bus error, address 0x70000010), at main+"), "\(result)")
    #expect(result.errors.contains("before that, no number in the output"), "\(result)")
  }

  @Test(
    "an audit reports why an image could not continue, and the address at which an image waits forever"
  )
  func deaths() throws {
    let scenarios = ["calm", "nack-data", "late-calibration", "power-loss"]
    func audit(_ flag: String, board: String = "nrf52832") throws -> (
      text: String, seconds: Double
    ) {
      let image = try FirmwareBuild.arm("reader", board: board, flags: [flag]).path
      let start = ContinuousClock.now
      let result = try CommandLineTool.run(
        CommandLineTool.path,
        ["audit", "--firmware", image] + scenarios.flatMap { ["--scenario", $0] })
      let length = ContinuousClock.now - start
      #expect(result.status == 1, "\(result)")
      return (result.output, Double(length.components.seconds))
    }
    let dead = try audit("-DDIES").text
    #expect(
      dead.contains(
        #/failed    nack-data .*: \d\.\d+ s: a fault that the program does not handle \(bus error, address 0x70000010\), at main\+/#
      ), "\(dead)")
    #expect(dead.contains("right     calm"), "\(dead)")
    let stuck = try audit("-DHANGS")
    #expect(
      stuck.text.contains(
        #/failed    nack-data .*no value: the program was at await_luck.* at the end of the run/#),
      "\(stuck.text)")
    // Neither the ten years of virtual time nor the CPU limit are used up.
    #expect(stuck.seconds < 20)
    // In this image no counter is running, and no event is scheduled.
    let endless = try audit("-DHANGS", board: "stm32f411").text
    #expect(
      endless.contains(#/failed    nack-data .*the program waits forever, at await_luck/#),
      "\(endless)")
  }

  @Test("an audit of an image that fails after a late reply takes less than 30 s")
  func lateReply() throws {
    let image = try FirmwareBuild.arm("reader", board: "stm32f411").path
    let start = ContinuousClock.now
    let result = try CommandLineTool.run(
      CommandLineTool.path,
      ["audit", "--firmware", image, "--scenario", "calm", "--scenario", "late-calibration"])
    #expect(result.output.contains("  late-calibration  "), "\(result)")
    #expect(!result.output.contains("timed out"), "\(result)")
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test("a duration beyond the maximum is rejected, and the error gives the maximum")
  func longest() throws {
    let hello = try FirmwareBuild.arm("hello").path
    for time in ["100000h", "11y"] {
      let result = try CommandLineTool.run("firmware", hello, "--for", time)
      #expect(result.status == 64)
      #expect(
        result.errors.contains(
          "\(time) is out of range for a duration; the maximum is 3650d, which is 10y"), "\(result)"
      )
    }
    #expect(try CommandLineTool.run("firmware", hello, "--for", "10y").status == 7)
    let wrong = try CommandLineTool.run("firmware", hello, "--for", "5 parsecs")
    #expect(wrong.errors.contains("unknown unit 'parsecs' for duration"), "\(wrong)")
  }

  @Test("the documented firmware rigs meet their expectations with the documented image")
  func pageRigs() throws {
    let page = try Fixtures.text("Sources/aneroid/aneroid.docc/Firmware.md")
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 2)
    let image = try FirmwareBuild.arm("reader").path
    let rig = blocks.joined().replacing("sensor.elf", with: image).replacing(
      "\nexpect:\n  - {that: energy", with: "\n  - {that: energy")
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run("run", path)
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("expectations met"), "\(result)")
    }
  }

  @Test(
    "gdb sets breakpoints and watchpoints, steps, reads registers and memory, resets, and sees the end"
  )
  func debugger() throws {
    let image = try FirmwareBuild.arm("reader", flags: ["-DREADINGS=2"]).path
    let script = """
      log=$(mktemp); '\(CommandLineTool.path.path)' firmware '\(image)' --gdb 0 2>$log & server=$!
      until port=$(sed -n 's/.*port \\([0-9]*\\):.*/\\1/p' $log) && [ -n "$port" ]; do sleep 0.05; done
      gdb-multiarch -l 60 -batch -nx '\(image)' -ex "target remote :$port" -ex 'break calibrate' \\
        -ex continue -ex bt -ex next -ex step -ex 'watch t_fine' -ex continue -ex 'p t_fine' \\
        -ex 'info registers pc' -ex 'p/x *(unsigned*)0xE000ED00' -ex 'set var t_fine = 7' \\
        -ex 'p t_fine' -ex delete -ex 'monitor reset' -ex 'monitor time' -ex 'maint flush register-cache' \\
        -ex 'info registers pc' -ex 'break show' -ex continue -ex 'info registers d0' -ex delete -ex continue
      wait $server; echo "status $?"; rm -f $log
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script])
    for text in [
      "Breakpoint 1, calibrate", "Hardware watchpoint 2: t_fine", "New value = ",
      "0x410fc241", "= 7\n", "halted at Reset_Handler", "<Reset_Handler>",
      "show (d=", "d0 ", "exited normally", "humidity 50.00 %", "status 0",
    ] {
      // The server's messages appear on gdb's standard error.
      #expect((result.output + result.errors).contains(text), "\(text): \(result)")
    }
  }

  @Test("invalid GDB packets do not affect a debugging session")
  func malformed() throws {
    let image = try FirmwareBuild.arm("hello").path
    let script = """
      log=$(mktemp); '\(CommandLineTool.path.path)' firmware '\(image)' --gdb 0 2>$log & server=$!
      until port=$(sed -n 's/.*port \\([0-9]*\\):.*/\\1/p' $log) && [ -n "$port" ]; do sleep 0.05; done
      python3 - $port <<'END'
      import random, socket, sys
      def talk(data, answers):
          with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 100) as s:
              s.sendall(data)
              seen = b""
              while answers and answers not in seen:
                  part = s.recv(4096)
                  if not part: break
                  seen += part
              return seen
      def packet(text):
          return b"$" + text + b"#%02x" % (sum(text) % 256)
      chance = random.Random(7)
      for _ in range(20):
          talk(bytes(chance.randrange(256) for _ in range(3000)), b"")
      bad = [b"m", b"mzz,1", b"m0,ffffffff", b"Z9,0,0", b"Z2,0,0", b"P99=00", b"G00", b"M0,4:0", b"qXfer:features:read:target.xml:x",
             b"vCont;q", b"qRcmd,6", b"p-1", b"czz", b"X", b""]
      seen = talk(b"".join(packet(b) for b in bad) + packet(b"?"), b"S05")
      assert b"S05" in seen, seen
      assert b"E01" in seen, seen
      seen = talk(packet(b"c"), b"$W07#")
      assert b"$W07#" in seen, seen
      END
      wait $server; echo "status $?"; rm -f $log
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/bash"), ["-c", script])
    #expect(result.output.hasSuffix("status 7\n"), "\(result)")
  }

  /// Waits in bash until `$run` has changed `$file`, whose old content is in `$file.before` if it
  /// existed.
  private static let onceChanged = """
    once_changed() {
      while kill -0 $run; do
        [ -s $file ] && { [ -s $file.before ] || cp $file $file.before; }
        [ -s $file.before ] && ! cmp -s $file $file.before && break; sleep 0.02
      done
    }
    """

  @Test("after a kill, each word in the flash file is either old or new")
  func kills() throws {
    let image = try FirmwareBuild.arm("flash", flags: ["-DFOREVER"]).path
    let script = """
      file=$(mktemp -d)/flash
      \(Self.onceChanged)
      for turn in $(seq \(Repetitions.kills)); do
        cp $file $file.before 2>/dev/null
        '\(CommandLineTool.path.path)' firmware '\(image)' --for 3650d --flash $file 2>/dev/null & run=$!
        once_changed; sleep 0.$((RANDOM % 4)); kill -9 $run; wait $run 2>/dev/null
        python3 - $file <<'END' || exit 1
      import struct, sys
      data = open(sys.argv[1], "rb").read()
      words = struct.unpack("<1024I", data[0x40000:0x41000])
      held = [w for w in words if w != 0xFFFFFFFF]
      assert all(w == 0xA5A50000 | i for i, w in enumerate(held)), held
      assert words[:len(held)] == tuple(held)
      print("held", len(held))
      END
      done
      rm -rf $(dirname $file)
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/bash"), ["-c", script])
    #expect(result.status == 0, "\(result)")
    #expect(result.outputLines.count == Repetitions.kills, "\(result)")
  }

  @Test("after a kill, the EEPROM file of an AVR contains only whole bytes, in order")
  func killsEeprom() throws {
    let image = try FirmwareBuild.avr("avr-eeprom").path
    // The file contains 32 KiB of flash, then the EEPROM.
    let script = """
      file=$(mktemp -d)/memories
      \(Self.onceChanged)
      for turn in $(seq \(Repetitions.kills)); do
        cp $file $file.before 2>/dev/null
        '\(CommandLineTool.path.path)' firmware '\(image)' --mcu atmega328p --for 3650d --flash $file 2>/dev/null & run=$!
        once_changed; sleep 0.$((RANDOM % 4)); kill -9 $run; wait $run 2>/dev/null
        python3 - $file <<'END' || exit 1
      import sys
      data = open(sys.argv[1], "rb").read()
      assert len(data) >= 0x8400, len(data)
      eeprom = data[0x8000:0x8400]
      held = eeprom.index(0xFF) if 0xFF in eeprom else 1024
      assert all(eeprom[place] == place * 7 % 255 for place in range(held)), eeprom[:held]
      assert all(byte == 0xFF for byte in eeprom[held:]), eeprom[held:]
      print("held", held)
      END
      done
      rm -rf $(dirname $file)
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/bash"), ["-c", script])
    #expect(result.status == 0, "\(result)")
    #expect(result.outputLines.count == Repetitions.kills, "\(result)")
    // Otherwise the program did not get as far as writing.
    #expect(Set(result.outputLines).count > 1, "\(result)")
  }

  @Test("with --uart 0=pty, a pseudo-terminal receives the UART output")
  func terminal() throws {
    let image = try FirmwareBuild.arm("reader").path
    let script = """
      log=$(mktemp); '\(CommandLineTool.path.path)' firmware '\(image)' --uart 0=pty --clock real --for 10min 2>$log & run=$!
      until name=$(sed -n 's/.* is at \\(.*\\)/\\1/p' $log) && [ -n "$name" ]; do sleep 0.05; done
      timeout 100 head -n 1 "$name"; kill $run; wait $run; rm -f $log
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script])
    #expect(result.output.contains("humidity 50.00 %"), "\(result)")
  }

  @Test("the documented commands for building a C file work in the folder of the sources")
  func page() throws {
    let page = try Fixtures.text("Sources/aneroid/aneroid.docc/Firmware.md")
    let blocks = page.components(separatedBy: "```sh\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 3)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script =
      "set -e\nPATH='\(CommandLineTool.path.deletingLastPathComponent().path)':$PATH\n"
      + blocks.joined(separator: "\n").replacing("/tmp/", with: "\(folder.path)/")
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script])
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("temperature 21.00 C, pressure 1013.24 hPa"))
  }
}
