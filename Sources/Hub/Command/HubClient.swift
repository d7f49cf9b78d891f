import ArgumentParser
import Foundation
import FoundationNetworking
import Glibc
import HubSettings

/// Where the hub is that a command speaks to.
struct HubClient: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The hub's file, which says where it is and where its token is.", valueName: "file"),
    completion: .file(extensions: ["yaml"]))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Where the hub is; what --config says, or http://127.0.0.1:8090 unless given.",
      valueName: "url"))
  var hub: String?

  @Option(
    help: ArgumentHelp(
      "The file of its token, for changes; what --config says, or hub.token unless given.",
      valueName: "file"))
  var tokenFile: String?

  /// What the hub says at a path.
  func text(_ path: String) async -> String {
    let place = place()
    let (status, body) = await send(URLRequest(url: address(place.hub, path)), place.hub)
    guard status == 200 else {
      HubConsole.fail("\(place.hub) answered \(status): \(Self.reason(Self.object(body)))", 69)
    }
    return String(decoding: body, as: UTF8.self)
  }

  /// What the hub says at a path, as JSON.
  func ask(_ path: String) async -> [String: Any] { Self.object(Data(await text(path).utf8)) }

  /// Sends a command, and says what came of it.
  func command(_ command: [String: Any]) async {
    let place = place()
    guard let data = FileManager.default.contents(atPath: place.token) else {
      HubConsole.fail(
        "cannot read the token \(place.token): \(String(cString: strerror(errno))); the hub writes it "
          + "beside its file when it starts: name that file with --config, or the token's with "
          + "--token-file", 66)
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    var request = URLRequest(url: address(place.hub, "/v1/command"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.httpBody = try? JSONSerialization.data(withJSONObject: command)
    let (status, body) = await send(request, place.hub)
    let reason = Self.reason(Self.object(body))
    if status == 401 {
      HubConsole.fail(
        "\(place.hub) refused: the token in \(place.token) is not that of this hub; name the hub's "
          + "file with --config, or its token's with --token-file", 69)
    }
    guard status == 200 else {
      HubConsole.fail("\(place.hub) refused: \(reason)", status == 422 ? 1 : 69)
    }
    HubConsole.put("\(reason)\n")
  }

  /// Where the hub is, and the file of its token.
  private func place() -> (hub: String, token: String) {
    let web = config.map { ServeCommand.settings($0).web }
    if let web, hub == nil, web.port == 0 {
      HubConsole.fail(
        "\(config ?? ""): the hub chooses its port when it starts; --hub says which it has", 64)
    }
    // URLSession of Linux takes no address of IPv6.
    let usual = web.map { "http://\($0.host == "[::1]" ? "localhost" : $0.host):\($0.port)" }
    return (hub ?? usual ?? "http://127.0.0.1:8090", tokenFile ?? web?.tokenFile ?? "hub.token")
  }

  private func address(_ hub: String, _ path: String) -> URL {
    guard let url = URL(string: hub + path), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false
    else {
      HubConsole.fail("--hub is an address such as http://127.0.0.1:8090, not '\(hub)'", 64)
    }
    return url
  }

  private func send(_ request: URLRequest, _ hub: String) async -> (Int, Data) {
    do {
      // The shared session would keep answers in the user's cache.
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let (data, response) = try await session.data(for: request)
      return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    } catch {
      HubConsole.fail(
        "no hub answers at \(hub): \(error.localizedDescription); start it with 'aneroid hub serve "
          + "FILE', or say where it is with --config or --hub", 69)
    }
  }

  private static func object(_ body: Data) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:]
  }

  private static func reason(_ body: [String: Any]) -> String {
    let error = body["error"] as? [String: Any]
    return body["message"] as? String ?? error?["message"] as? String ?? "it gave no reason"
  }
}
