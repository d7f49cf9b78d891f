import HubQueue
package import Warehouse

/// Which commands a hub takes, and from whom.
package struct CommandGate: Sendable, Equatable {
  /// What may be asked.
  package var actions: Set<String>
  /// Who may ask; anybody if empty.
  package var people: Set<String>

  /// Creates it.
  package init(actions: Set<String>, people: Set<String> = []) {
    (self.actions, self.people) = (actions, people)
  }

  /// The answer to a command: what was done, or why not.
  ///
  /// - Parameters:
  ///   - bytes: the command, as ``Warehouse/HubCommand`` reads it.
  ///   - obey: does it, and says what was done.
  /// - Returns: whether it was done, in JSON: `{"ok":true,"message":"alarm 3 is acknowledged"}`.
  package func answer(
    _ bytes: [UInt8], obey: (HubCommand) throws(HubCommand.Refusal) -> String
  ) -> (isDone: Bool, json: String) {
    do throws(HubCommand.Refusal) {
      let command = try HubCommand(json: bytes)
      guard actions.contains(command.action) else {
        return reply(false, "this hub does not take '\(command.action)' here")
      }
      guard people.isEmpty || people.contains(command.person) else {
        throw .unknown(person: command.person, among: people.sorted())
      }
      return reply(true, try obey(command))
    } catch {
      return reply(false, error.description)
    }
  }

  private func reply(_ isDone: Bool, _ text: String) -> (isDone: Bool, json: String) {
    (
      isDone,
      JSONText.object([("ok", isDone ? "true" : "false"), ("message", JSONText.quoted(text))])
    )
  }
}
