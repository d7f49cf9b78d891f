import TestSupport
import Testing

/// The tasks of FreeRTOS under `aneroid firmware --gdb`, on memory in the layout of the kernel's
/// sources.
struct FirmwareThreadTests {
  @Test("GDB lists the tasks with names, states and priorities, and unwinds waiting ones")
  func tasks() throws {
    let output = try FirmwareDebuggerTests.debug(
      FirmwareBuild.arm("tasks"),
      [
        [
          "break before", "continue", "info threads", "break here", "continue", "info threads",
          "thread find sensor", "thread apply all bt 2", "kill",
        ]
      ])
    FirmwareDebuggerTests.expect(
      output,
      [
        "Thread 1 (the program)", "hit Breakpoint 2, here",
        "* 2 ", "(control: running, priority 3)", "here (",
        "(IDLE: ready, priority 0)", "wait_for_time (", "(sensor: blocked, priority 2)",
        "wait_for_time (", "(logger: blocked, priority 1)", "wait_for_event (",
        "(filter: suspended, or blocked on a notification, priority 4)", "wait_for_time (",
        "Thread 4 has extra info", "wait_for_time", "in logger_task", "wait_for_event",
        "in logger_task",
        "wait_for_time", "in sensor_task", "status 0",
      ])
  }

  @Test("saved registers of a task are read and written on its stack; others are unavailable")
  func registers() throws {
    let output = try FirmwareDebuggerTests.debug(
      FirmwareBuild.arm("tasks"),
      [
        [
          "break here", "continue", "info threads", "thread 5", "p \"logger\"", "p $r4", "p $r11",
          "p $r12", "p/x (long)$sp - (long)logger.top", "p/x $control", "p/x $fpscr",
          "info registers d8", "set var $r5 = 77", "p $r5", "p logger.top[1]", "thread 4",
          "p \"sensor\"", "p $r0", "p/x (long)$sp - (long)sensor.top", "p $s0", "thread 3",
          "p \"idle\"", "p $r7", "p/x (long)$sp - (long)idle.top", "p $r4 == 4", "kill",
        ]
      ])
    FirmwareDebuggerTests.expect(
      output,
      [
        "= \"logger\"", "= 4", "= 11", "= 112", "= 0xd0", "= 0x6", "= 0x3000000",
        "(raw 0x000003f9000003f8)", "= 77", "= 77",
        "= \"sensor\"", "= 100", "= 0x44", "<unavailable>", "= \"idle\"", "= 7", "= 0x40", "= 1",
        "status 0",
      ])
  }
}
