import Foundation
import TestSupport
import Testing

/// `aneroid serve`, with clients that were not written for it; kernels and virtual machines are judges in `.ci/kernel`.
struct ServeTests {
  /// A server, from the line that it prints to the signal that ends it.
  private final class Server {
    let process = Process()
    let folder: URL
    private let output = Pipe()
    private let errors: URL

    init(_ arguments: [String]) throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "serve-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      errors = folder.appending(path: "errors")
      try Data().write(to: errors)
      process.executableURL = CommandLineTool.path
      process.arguments = ["serve"] + arguments
      process.currentDirectoryURL = folder
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    }

    /// Waits for the line that says that the server is ready.
    func line() -> String {
      String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Ends the server with a signal, and returns its exit status and its messages.
    func end(_ signal: Int32 = SIGTERM) throws -> (status: Int32, messages: String) {
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      defer { try? FileManager.default.removeItem(at: folder) }
      return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
    }

    func has(_ name: String) -> Bool {
      (try? FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)) != nil
    }
  }

  @Test(
    "clients of Firmata from PyPI read the part's chip id, once and continuously",
    arguments: ["pymata4", "pymata_express"])
  func firmata(client: String) throws {
    let server = try Server(["--firmata", "arduino", "--trace", "t.i2ctrace"])
    #expect(server.line().contains("/arduino\", arduino_wait=0)"))
    let port = server.folder.appending(path: "arduino").path
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      [
        "PYTHONPATH=\(VirtualBusBench.peers)/drivers/\(client)", "python3",
        "Tests/Peers/read_firmata.py", client, port, "0x76", "0xD0",
      ])
    let expected = client == "pymata4" ? 4 : 1
    let values = result.output.split(separator: "\n").last ?? ""
    #expect(
      values.split(separator: "[").filter { $0.hasPrefix("118, 208, 96") }.count >= expected,
      "\(result.output)\(result.errors)")
    let trace = server.folder.appending(path: "t.i2ctrace")
    let transfers = try String(contentsOf: trace, encoding: .utf8)
    #expect(transfers.contains("\"r\":\"60\""))
    #expect(client != "pymata4" || transfers.contains("\"w\":\"f201\""))
    #expect(try server.end().status == 0)
  }

  @Test(
    "a signal ends the server with status 0, and nothing is left", arguments: [SIGTERM, SIGINT])
  func signals(signal: Int32) throws {
    let server = try Server([
      "--usbredir", "bus.socket", "--firmata", "arduino", "--usbip", "127.0.0.1:0",
      "--vhost-user", "vhost.socket",
    ])
    let line = server.line()
    #expect(line.contains("-device usb-redir"))
    #expect(server.has("bus.socket") && server.has("vhost.socket") && server.has("arduino"))
    let mode =
      try FileManager.default.attributesOfItem(
        atPath: server.folder.appending(path: "bus.socket").path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    kill(server.process.processIdentifier, signal)
    server.process.waitUntilExit()
    #expect(!server.has("bus.socket") && !server.has("vhost.socket") && !server.has("arduino"))
    #expect(try server.end(0).status == 0)
  }

  @Test(
    "an Arduino with Firmata is a real adapter for read, exec and rigs, with the sketch's limits")
  func firmataAdapter() throws {
    let server = try Server(["weather-station", "--firmata", "arduino"])
    _ = server.line()
    let bus = "firmata:" + server.folder.appending(path: "arduino").path
    let reading = try CommandLineTool.run("read", "--bus", bus)
    #expect(reading.status == 0, "\(reading.errors)")
    #expect(reading.output.contains("0x76"))
    let cases: [([String], String, Int32)] = [
      (["i2cget", "-y", "1", "0x76", "0xd0"], "0x60", 0),
      (["i2ctransfer", "-y", "1", "w1@0x76", "0xd0", "r1"], "0x60", 0),
      (["i2cget", "-y", "1", "0x20", "0xd0"], "Read failed", 2),
      (["i2ctransfer", "-y", "1", "w2@0x76", "0x88", "0x00", "r2"], "not supported", 1),
      (["i2ctransfer", "-y", "1", "w1@0x76", "0x88", "r33"], "not supported", 1),
    ]
    for (program, expected, status) in cases {
      let result = try CommandLineTool.run(
        CommandLineTool.path, ["exec", "--bus", "\(bus)@115200", "--"] + program)
      #expect(
        (result.output + result.errors).contains(expected), "\(result.output)\(result.errors)")
      #expect(result.status == status)
    }
    try CommandLineTool.withFile(
      "name: x\nclock: real\nbuses: [{number: 1, physical: '\(bus)'}]\n"
    ) { rig in
      let result = try CommandLineTool.run(
        "exec", "--rig", rig, "--", "i2cget", "-y", "1", "0x76", "0xd0")
      #expect(result.output == "0x60\n", "\(result.errors)")
    }
    #expect(try server.end().status == 0)
    for (port, message) in [("/dev/null", "not a serial port"), ("/dev/ttyACM99", "No such file")] {
      let result = try CommandLineTool.run("read", "--bus", "firmata:\(port)")
      #expect(result.status == 69)
      #expect(result.errors.contains(message))
    }
  }

  @Test(
    "an Automat on the air answers a central of another program and the adapter automat:ble, one after the other"
  )
  func automat() throws {
    let server = try Server([
      "weather-station", "--bridge", "automat@air:unix-server:air.socket", "--trace", "t.i2ctrace",
    ])
    #expect(server.line().contains("aneroid read --bus automat:ble@unix-client:air.socket"))
    let client = "unix-client:" + server.folder.appending(path: "air.socket").path
    let central = try CommandLineTool.run(
      URL(filePath: VirtualBusBench.peers + "/bumble/bin/python"),
      ["Tests/Peers/read_automat.py", client])
    #expect(
      central.output.hasPrefix("76d00160\n768812")
        && central.output.hasSuffix("\nbeyond: \nabsent: \n76f50110\n"),
      "\(central.output)\(central.errors)")
    for board in ["automat:ble", "automat:ble:C4:BE:84:70:00:01"] {
      let reading = try CommandLineTool.run(
        "read", "--bus", "\(board)@\(client)", "--format", "csv")
      #expect(reading.status == 0, "\(reading.errors)")
      #expect(reading.output.split(separator: "\n").count == 2, "\(reading.output)")
    }
    let program = try CommandLineTool.run(
      CommandLineTool.path,
      ["exec", "--bus", "automat:ble@\(client)", "--", "i2cget", "-y", "1", "0x76", "0xd0"])
    #expect(program.output == "0x60\n", "\(program.errors)")
    let absent = try CommandLineTool.run(
      "read", "--bus", "automat:ble:C4:BE:84:70:00:99@\(client)")
    #expect(absent.status == 69)
    #expect(
      absent.errors.contains("no board with the address C4:BE:84:70:00:99 advertised within 10 s"))
    let wrong = try CommandLineTool.run("read", "--bus", "automat:ble:C4:BE@\(client)")
    #expect(wrong.status == 64 && wrong.errors.contains("'C4:BE' is not an address such as"))
    let (status, messages) = try server.end()
    #expect(status == 0)
    #expect(messages.split(separator: "\n").count { $0.contains("a client connected") } == 4)
  }

  @Test("another program on the same virtual radio takes its place; the first one fails, and ends")
  func replaced() throws {
    let server = try Server(["--bridge", "automat@air:unix-server:air.socket"])
    _ = server.line()
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/timeout"),
      [
        "120", "/bin/bash", "-c",
        """
        cd "$1"; bus=automat:ble@unix-client:air.socket
        "$0" exec --bus $bus -- sh -c 'i2cget -y 1 0x76 0xd0; echo >begun
          until [ -e taken ]; do sleep 0.05; done; i2cget -y 1 0x76 0xd0; echo "status $?"' 2>first & first=$!
        until [ -e begun ]; do sleep 0.05; done
        "$0" exec --bus $bus -- i2cget -y 1 0x76 0xf4; echo >taken; wait $first
        """, CommandLineTool.path.path, server.folder.path,
      ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "0x60\n0x00\nstatus 2\n", "\(result.output)\(result.errors)")
    let (status, _) = try server.end()
    #expect(status == 0)
  }

  @Test("a board on the air leaves no socket, shares none, and ends its server with its stack")
  func bridgeEnds() throws {
    let server = try Server(["--bridge", "automat@air:unix-server:air.socket"])
    _ = server.line()
    let path = server.folder.appending(path: "air.socket").path
    let second = try CommandLineTool.run("serve", "--bridge", "automat@air:unix-server:\(path)")
    #expect(second.status == 69 && second.errors.contains("another server uses this socket"))
    kill(server.process.processIdentifier, SIGTERM)
    server.process.waitUntilExit()
    #expect(!server.has("air.socket"))
    let third = try CommandLineTool.run(
      URL(filePath: "/bin/bash"),
      [
        "-c",
        "\"$0\" serve --bridge \"automat@air:unix-server:$1\" & sleep 3; pkill -KILL -P $! python; wait $!",
        CommandLineTool.path.path, path,
      ])
    #expect(third.status == 69, "\(third.output)\(third.errors)")
    let (status, _) = try server.end(0)
    #expect(status == 0)
  }

  @Test(
    "a board of a bridge without a radio, and an unknown board, are refused",
    arguments: ["automat", "usb:0", "nothing@usb:0", "automat@"])
  func bridges(_ value: String) throws {
    let result = try CommandLineTool.run("serve", "--bridge", value)
    #expect(result.status == 64)
    #expect(result.errors.contains("a board and its radio are expected, such as automat@usb:0"))
  }

  @Test(
    "a radio that cannot be opened is named with the reason",
    arguments: [
      ("nonsense:3", "not a radio; expected an HCI transport such as hci-socket:0"),
      ("unix-client:", "the parameters of this HCI transport are missing or malformed"),
      ("unix-client:/nowhere", "No such file or directory"),
    ])
  func radios(_ radio: String, _ reason: String) throws {
    let uses = [
      ("read", "--bus", "automat:ble@\(radio)"), ("serve", "--bridge", "automat@\(radio)"),
    ]
    for (command, option, value) in uses {
      let result = try CommandLineTool.run(command, option, value)
      #expect(result.status == 69)
      #expect(result.errors.contains("\(radio): \(reason)"), "\(result.errors)")
    }
  }

  @Test(
    "a board without a link gets the link as a hint",
    arguments: ["automat", "automat:", "automat:usb"])
  func link(_ name: String) throws {
    let result = try CommandLineTool.run("read", "--bus", name)
    #expect(result.status == 69)
    #expect(result.errors == "aneroid: \(name): did you mean automat:ble?\n")
  }

  @Test("clients that are refused in a loop are counted after the first ones")
  func refused() throws {
    let server = try Server(["--usbredir", "bus.socket"])
    _ = server.line()
    let connected = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["python3", "-c", Self.crowd, server.folder.appending(path: "bus.socket").path, "300"])
    #expect(connected.status == 0, "\(connected.errors)")
    let messages = try server.end().messages.split(separator: "\n")
    let refusals = messages.filter { $0.contains("a second client was refused") }
    #expect((6...10).contains(refusals.count), "\(messages)")
    #expect(refusals.last?.hasSuffix(" times in 10 s)") == true, "\(messages)")
  }

  /// Connects one client that stays, and many that are refused; then the first one is still served.
  private static let crowd = """
    import socket, sys
    first = socket.socket(socket.AF_UNIX)
    first.settimeout(10)
    first.connect(sys.argv[1])
    assert first.recv(1)
    for _ in range(int(sys.argv[2])):
        other = socket.socket(socket.AF_UNIX)
        other.connect(sys.argv[1])
        while other.recv(100): pass
        other.close()
    """

  @Test("clients are served while nothing reads standard error")
  func unread() throws {
    let folder = try TestFolder()
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/bash"),
      [
        "-c",
        """
        cd "$1"; mkfifo errors; exec 3<>errors
        take() { dd if=errors iflag=nonblock bs=1M >>read 2>/dev/null; }
        "$0" serve --part bme280 --firmata arduino --usbredir bus.socket --log >lines 2>errors & server=$!
        until [ -S bus.socket ]; do sleep 0.05; done
        for i in 1 2 3 4 5; do
          "$0" exec --bus firmata:arduino -- i2cdump -y 1 0x76 b >last || echo failed
        done
        take
        "$0" exec --bus firmata:arduino -- i2cget -y 1 0x76 0xd0
        kill $server; wait $server; echo "status $?"; take
        grep -c 'nothing read standard error; [0-9]* messages left out' read
        """, CommandLineTool.path.path, folder.path,
      ])
    #expect(result.output == "0x60\nstatus 0\n1\n", "\(result.output)\(result.errors)")
  }

  @Test("a trace that cannot be written is reported at once, and the bus is still served")
  func fullDisk() throws {
    let server = try Server(["--firmata", "arduino", "--trace", "/dev/full"])
    _ = server.line()
    let bus = "firmata:" + server.folder.appending(path: "arduino").path
    let reading = try CommandLineTool.run("read", "--bus", bus)
    #expect(reading.status == 0, "\(reading.errors)")
    let early = try String(contentsOf: server.folder.appending(path: "errors"), encoding: .utf8)
    let message =
      "aneroid: /dev/full: cannot be written: No space left on device; the bus is still served\n"
    #expect(early.contains(message), "\(early)")
    let (status, messages) = try server.end()
    #expect(status == 74)
    #expect(messages.split(separator: "\n").count { $0.hasPrefix("aneroid: /dev/full") } == 2)
  }

  @Test(
    "while its adapter is unplugged, the port of an Arduino is gone, and then another one is there")
  func unplugged() throws {
    let server = try Server([
      "--firmata", "arduino", "--fault", "kind: adapter-unplugged, at: 1s, for: 1s",
    ])
    _ = server.line()
    func waits(until exists: Bool) -> Bool {
      for _ in 0..<500 where server.has("arduino") != exists { usleep(20_000) }
      return server.has("arduino") == exists
    }
    #expect(waits(until: false) && waits(until: true))
    let bus = "firmata:" + server.folder.appending(path: "arduino").path
    let reading = try CommandLineTool.run("read", "--bus", bus)
    #expect(reading.status == 0, "\(reading.errors)")
    let (status, messages) = try server.end()
    #expect(status == 0)
    #expect(messages.contains("the adapter is unplugged, at 1 s"), "\(messages)")
    #expect(messages.contains("the adapter is plugged in again, at 2 s"), "\(messages)")
  }

  @Test("a client that does not begin is dropped after 10 s, and another one is served")
  func silent() throws {
    let server = try Server(["--usbip", "127.0.0.1:0", "--vhost-user", "vhost.socket"])
    let line = server.line()
    let port = try #require(line.firstMatch(of: /--tcp-port (\d+)/)).output.1
    let script = """
      import socket, sys, time
      def tcp():
          return socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      silent = tcp()
      silent.sendall(bytes([1]))
      other = socket.socket(socket.AF_UNIX)
      other.connect(sys.argv[2])
      time.sleep(1)
      print(tcp().recv(1))
      start = time.monotonic()
      print(silent.recv(1), other.recv(1), 5 < time.monotonic() - start < 60)
      last = tcp()
      last.sendall(bytes([1, 0x11, 0x80, 5, 0, 0, 0, 0]))
      time.sleep(0.5)
      print(len(last.recv(1000)))
      """
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      [
        "python3", "-c", script, String(port), server.folder.appending(path: "vhost.socket").path,
      ])
    #expect(result.output == "b''\nb'' b'' True\n328\n", "\(result.output)\(result.errors)")
    let (status, messages) = try server.end(SIGQUIT)
    #expect(status == 0)
    #expect(
      messages.split(separator: "\n").count { $0.contains("it did not begin within 10 s") } == 2,
      "\(messages)")
  }

  @Test(
    "a server whose lines for clients cannot be written ends with status 74, and leaves no socket")
  func closed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "serve-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "bus.socket").path
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/bash"),
      [
        "-c", "\"$0\" serve --usbredir \"$1\" > /dev/full; echo $?; ls -A \"$2\"",
        CommandLineTool.path.path, path, folder.path,
      ])
    #expect(result.output == "74\n", "\(result.output)")
    #expect(result.errors.contains("standard output"), "\(result.errors)")
  }

  @Test("--for ends the server")
  func limit() throws {
    let result = try CommandLineTool.run("serve", "--usbip", "127.0.0.1:0", "--for", "100ms")
    #expect(result.status == 0)
    #expect(result.output.contains("attach -r 127.0.0.1 -b 1-1"))
  }

  @Test("a socket in use is refused, and one that a dead server left is replaced")
  func stale() throws {
    let server = try Server(["--usbredir", "bus.socket"])
    _ = server.line()
    let path = server.folder.appending(path: "bus.socket").path
    let second = try CommandLineTool.run("serve", "--usbredir", path)
    #expect(second.status == 69)
    #expect(second.errors.contains("another server uses this socket"))
    kill(server.process.processIdentifier, SIGKILL)
    server.process.waitUntilExit()
    #expect(server.has("bus.socket"))
    let third = try CommandLineTool.run("serve", "--usbredir", path, "--for", "50ms")
    #expect(third.status == 0, "\(third.errors)")
    #expect(!server.has("bus.socket"))
  }

  @Test(
    "wrong usage names the option and what it accepts",
    arguments: [
      ([], "no transport given", Int32(64)),
      (["--usbip", "0.0.0.0:3240"], "127.0.0.0/8", 64),
      (["--usbip", "127.0.0.1:99999"], "a port up to 65535", 64),
      (["--usbredir", "/etc/hostname"], "exists and is no socket", 69),
      (["--firmata", "/etc/hostname"], "exists and is no link", 69),
      (["weather-station", "--part", "sht4x", "--firmata", "/tmp/x"], "a rig or a bus", 64),
      (["thesis", "--bus", "thesis", "--firmata", "/tmp/x"], "two buses", 64),
      (["--usbredir", String(repeating: "x", count: 120)], "1 to 107 bytes", 69),
      (["many-sensors", "--firmata", "/tmp/x"], "several buses", 69),
      (["no-such-rig.yaml", "--firmata", "/tmp/x"], "no-such-rig.yaml", 66),
    ])
  func usage(_ arguments: [String], _ message: String, _ status: Int32) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, ["serve"] + arguments)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
