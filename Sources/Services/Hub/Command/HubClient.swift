import ArgumentParser
import Foundation
import FoundationNetworking
import Glibc
import WarehouseRuns

/// A client of a running hub, and the options that select the hub.
struct HubClient: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The hub file, which gives the URL and the token file.", valueName: "file"),
    completion: .file(extensions: ["yaml"]))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "URL of the hub; default: that of --config, or http://127.0.0.1:8090.",
      valueName: "url"))
  var hub: String?

  @Option(
    help: ArgumentHelp(
      "File of the token required for changes; default: that of --config, or hub.token.",
      valueName: "file"))
  var tokenFile: String?

  /// Requests a path and returns the body as text.
  func text(_ path: String) async -> String {
    let endpoint = endpoint()
    var (status, body) = await send(URLRequest(url: address(endpoint.hub, path)), endpoint.hub)
    // The hub computes few histories at a time.
    for _ in 0..<30 where status == 503 {
      try? await Task.sleep(for: .seconds(1))
      (status, body) = await send(URLRequest(url: address(endpoint.hub, path)), endpoint.hub)
    }
    guard status == 200 else {
      HubConsole.fail("\(endpoint.hub) answered \(status): \(Self.reason(Self.object(body)))", 69)
    }
    return String(decoding: body, as: UTF8.self)
  }

  /// Requests a path and returns the body as JSON.
  func ask(_ path: String) async -> [String: Any] { Self.object(Data(await text(path).utf8)) }

  /// Sends a command and prints the reply.
  func command(_ command: [String: Any]) async {
    let endpoint = endpoint()
    guard let data = FileManager.default.contents(atPath: endpoint.token) else {
      HubConsole.fail(
        "cannot read the token \(endpoint.token): \(String(cString: strerror(errno))); the hub writes it "
          + "next to its file when it starts: name that file with --config, or the token's with "
          + "--token-file", 66)
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    var request = URLRequest(url: address(endpoint.hub, "/v1/command"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.httpBody = try? JSONSerialization.data(withJSONObject: command)
    let (status, body) = await send(request, endpoint.hub)
    let reason = Self.reason(Self.object(body))
    if status == 401 {
      HubConsole.fail(
        "\(endpoint.hub) rejected the token in \(endpoint.token); name the hub's "
          + "file with --config, or its token's with --token-file", 69)
    }
    guard status == 200 else {
      HubConsole.fail("\(endpoint.hub) rejected the command: \(reason)", status == 422 ? 1 : 69)
    }
    HubConsole.put("\(reason)\n")
  }

  /// Returns the URL of the hub and the path of its token file.
  private func endpoint() -> (hub: String, token: String) {
    let web = config.map { ServeCommand.settings($0).web }
    if let web, hub == nil, web.port == 0 {
      HubConsole.fail(
        "\(config ?? ""): the hub selects its port when it starts; give its URL with --hub", 64)
    }
    // Because URLSession on Linux does not support IPv6 addresses in URLs, the host is given by
    // name.
    let usual = web.map { "http://\($0.host == "[::1]" ? "localhost" : $0.host):\($0.port)" }
    return (hub ?? usual ?? "http://127.0.0.1:8090", tokenFile ?? web?.tokenFile ?? "hub.token")
  }

  private func address(_ hub: String, _ path: String) -> URL {
    guard let url = URL(string: hub + path), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false
    else {
      HubConsole.fail("--hub must be a URL such as http://127.0.0.1:8090, not '\(hub)'", 64)
    }
    return url
  }

  private func send(_ request: URLRequest, _ hub: String) async -> (Int, Data) {
    do {
      // An ephemeral session is used, because the shared session would cache responses on disk.
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let (data, response) = try await session.data(for: request)
      return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    } catch {
      HubConsole.fail(
        "no hub responds at \(hub): \(error.localizedDescription); start it with 'aneroid hub serve "
          + "FILE', or give its URL with --config or --hub", 69)
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
