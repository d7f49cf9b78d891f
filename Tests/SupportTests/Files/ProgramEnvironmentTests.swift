import Foundation
import Support
import Testing

/// The environment variables of the process.
struct ProgramEnvironmentTests {
  @Test("the environment variables equal those that Foundation returns")
  func variables() {
    #expect(ProgramEnvironment.variables == ProcessInfo.processInfo.environment)
    #expect(!ProgramEnvironment.variables.isEmpty)
  }

  @Test("a variable is found by its name, and an unknown name returns nil")
  func one() {
    #expect(ProgramEnvironment["PATH"] == ProcessInfo.processInfo.environment["PATH"])
    #expect(ProgramEnvironment["ANEROID_NOBODY_SETS_THIS"] == nil)
  }

  @Test("the number of processors equals the one that Foundation returns")
  func processors() {
    #expect(ProgramEnvironment.processors == ProcessInfo.processInfo.activeProcessorCount)
  }
}
