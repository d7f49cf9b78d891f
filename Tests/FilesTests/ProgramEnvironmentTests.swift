import Files
import Foundation
import Testing

/// The environment is the one that the program was given.
struct ProgramEnvironmentTests {
  @Test("all variables are those that Foundation sees")
  func variables() {
    #expect(ProgramEnvironment.variables == ProcessInfo.processInfo.environment)
    #expect(!ProgramEnvironment.variables.isEmpty)
  }

  @Test("one variable is found by its name, another is not there")
  func one() {
    #expect(ProgramEnvironment["PATH"] == ProcessInfo.processInfo.environment["PATH"])
    #expect(ProgramEnvironment["ANEROID_NOBODY_SETS_THIS"] == nil)
  }

  @Test("there are as many processors as Foundation sees")
  func processors() {
    #expect(ProgramEnvironment.processors == ProcessInfo.processInfo.activeProcessorCount)
  }
}
