import Files
import Foundation
import Testing

/// The environment variables of the process.
struct ProgramEnvironmentTests {
  @Test("the variables equal those of Foundation")
  func variables() {
    #expect(ProgramEnvironment.variables == ProcessInfo.processInfo.environment)
    #expect(!ProgramEnvironment.variables.isEmpty)
  }

  @Test("a variable is found by its name, and an unknown name gives nil")
  func one() {
    #expect(ProgramEnvironment["PATH"] == ProcessInfo.processInfo.environment["PATH"])
    #expect(ProgramEnvironment["ANEROID_NOBODY_SETS_THIS"] == nil)
  }

  @Test("the number of processors equals that of Foundation")
  func processors() {
    #expect(ProgramEnvironment.processors == ProcessInfo.processInfo.activeProcessorCount)
  }
}
