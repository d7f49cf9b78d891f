import Foundation
import TestSupport
import Testing

/// The start and the exit of `aneroid exec`.
struct ExecLifetimeTests {
  @Test(
    "the exit status of the program is returned",
    arguments: [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)])
  func status(_ script: String, _ status: Int32) throws {
    let result = try VirtualBusBench.shell(script)
    #expect(result.status == status)
    #expect(result.errors.isEmpty)
  }

  @Test("a missing program gives status 127, and a program that cannot be run gives 126")
  func missing() throws {
    let missing = try VirtualBusBench.exec(["no-such-program"])
    #expect(missing.status == 127)
    #expect(try VirtualBusBench.exec([""]).status == 127)
    #expect(missing.errors == "aneroid: no-such-program: no such program\n")
    let text = try VirtualBusBench.exec(["./README.md"])
    #expect(text.status == 126)
    #expect(text.errors == "aneroid: ./README.md: cannot be run: permission denied\n")
    #expect(try VirtualBusBench.exec(["/tmp"]).status == 126)
  }

  @Test(
    "a missing interpreter of a script is reported",
    arguments: [
      ("#! /usr/bin/python9 -u\nprint(1)\n", "/usr/bin/python9"),
      ("#!/bin/sh\r\necho it was edited elsewhere\n", "/bin/sh\\r"),
    ])
  func interpreter(text: String, missing: String) throws {
    try CommandLineTool.withFile(text, suffix: "") { path in
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let result = try VirtualBusBench.exec([path])
      #expect(result.status == 127)
      #expect(
        result.errors
          == "aneroid: \(path): cannot be run: it requires \(missing), which does not exist\n")
    }
  }

  @Test("a missing loader is reported")
  func loader() throws {
    let client = URL(filePath: VirtualBusBench.client("schedule"))
    var bytes = try Data(contentsOf: client)
    let loader = try #require(bytes.range(of: Data("/ld-linux".utf8)))
    bytes.replaceSubrange(loader, with: Data("/no-linux".utf8))
    try CommandLineTool.withFile("", suffix: "") { path in
      try bytes.write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let result = try VirtualBusBench.exec([path])
      #expect(result.status == 127)
      #expect(
        result.errors.contains("it requires a dynamic loader, which does not exist"))
    }
  }

  @Test("a script without an interpreter line is run by the shell")
  func script() throws {
    try CommandLineTool.withFile("i2cget -y 1 0x76 0xd0; echo \"$1\"\n", suffix: "") { path in
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let result = try VirtualBusBench.exec([path, "two words"])
      #expect(result.output == "0x60\ntwo words\n")
    }
  }

  @Test(
    "a usage error gives status 64, an invalid rig 78, and a missing bus 69",
    arguments: [
      ([], [], 64), (["--number", "1048576"], ["true"], 64), (["--map", "1"], ["true"], 64),
      (["--number", "2", "--map", "1=2"], ["true"], 64),
      (["--bus", "/dev/i2c-1", "--rig", "x"], ["true"], 64),
      (["--rig", "README.md"], ["true"], 78), (["--rig", "nowhere.yaml"], ["true"], 66),
      (["--map", "5=6"], ["true"], 69), (["--bus", "/dev/i2c-77"], ["true"], 69),
      (["--rig", "rigs/many-sensors.yaml", "--number", "3"], ["true"], 69),
    ] as [([String], [String], Int32)])
  func mistakes(_ options: [String], _ program: [String], _ status: Int32) throws {
    let result = try VirtualBusBench.exec(program, options: options)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test("child processes continue for the grace period")
  func daemon() throws {
    let script = "setsid sh -c 'sleep 0.3; i2cget -y 1 0x76 0xd0' & exit 7"
    let result = try VirtualBusBench.shell(script)
    #expect(result.status == 7)
    #expect(result.output == "0x60\n")
    let long = try VirtualBusBench.shell("sleep 25 & exit 3", options: ["--grace", "200ms"])
    #expect(long.status == 3)
    #expect(long.errors.contains("the program has exited, but 1 of its child processes"))
  }

  @Test("'aneroid exec' inside 'aneroid exec' is rejected, and 'doctor' reports the reason")
  func nested() throws {
    let tool = CommandLineTool.path.path
    let inner = try VirtualBusBench.exec([tool, "exec", "--", "true"])
    #expect(inner.status == 69)
    #expect(inner.errors.contains("already runs under a seccomp supervisor"))
    let doctor = try VirtualBusBench.exec([tool, "doctor"])
    #expect(doctor.output.contains("--    /dev/i2c-N for other programs: this process already"))
    let free = try CommandLineTool.run("doctor")
    #expect(free.output.contains("ok    /dev/i2c-N for other programs: aneroid exec works here"))
  }

  @Test("a limit of 256 open files is sufficient")
  func limits() throws {
    let tool = CommandLineTool.path.path
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/sh"), ["-c", "ulimit -n 256; \(tool) exec -- i2cget -y 1 0x76 0xd0"])
    #expect(result.output == "0x60\n")
  }

  @Test("a client killed during a transfer leaves the bus usable")
  func killedClient() throws {
    let storm = VirtualBusBench.client("storm")
    let result = try VirtualBusBench.shell(
      "\(storm) 1000000 & p=$!; sleep 0.2; kill -KILL $p; wait $p; i2cget -y 1 0x76 0xd0")
    #expect(result.output == "0x60\n")
  }

  @Test("TERM is forwarded to the program")
  func terminated() throws {
    let tool = CommandLineTool.path.path
    let script = """
      exec 3< <(exec \(tool) exec -- sh -c 'trap "echo ended; exit 5" TERM; sleep 100 & echo ready; wait'); p=$!
      read -u 3 ready; kill -TERM $p; cat <&3; wait $p; echo $?
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/bash"), ["-c", script])
    #expect(result.outputLines.first == "ended")
    #expect(result.outputLines.last == "5" || result.outputLines.contains("5"))
  }
}
