import Support

extension Submission {
  /// A workflow for GitHub Actions: a matrix of shards, and a job that merges them.
  ///
  /// The campaign file must be in the repository. The jobs work in the folder of the repository that is the working directory
  /// here.
  static func github(_ request: Request) -> Submission {
    func scalar(_ text: String) -> String { JSONValue.string(text).compact }
    let shards = (1...request.shards).map(String.init).joined(separator: ", ")
    let folder = request.folderInRepository
    let results = folder == "." ? "results" : FilePath.joined(folder, "results")
    let install = """
            - name: Install Aneroid
              run: pip install "${ANEROID_WHEEL:?set this variable of the repository to the URL of a wheel}"
              env: {ANEROID_WHEEL: "${{ vars.ANEROID_WHEEL }}"}
      """
    let text = """
      # Written by 'aneroid campaign submit'. The variable ANEROID_WHEEL of the repository is the URL of a release's wheel.
      name: \(scalar(request.name))
      on: workflow_dispatch
      defaults: {run: {working-directory: \(scalar(folder))}}
      jobs:
        shard:
          runs-on: ubuntu-24.04
          strategy:
            fail-fast: false
            matrix: {shard: [\(shards)]}
          steps:
            - uses: actions/checkout@v4
            - uses: actions/setup-python@v5
              with: {python-version: "3.13"}
      \(install)
            - run: \(scalar(request.command(shard: "${{ matrix.shard }}/\(request.shards)", file: request.campaign.file, folder: "results")))
            - uses: actions/upload-artifact@v4
              with: {name: "shard-${{ matrix.shard }}", path: \(scalar(results + "/shards"))}
        merge:
          needs: shard
          runs-on: ubuntu-24.04
          steps:
            - uses: actions/checkout@v4
            - uses: actions/setup-python@v5
              with: {python-version: "3.13"}
      \(install)
            - uses: actions/download-artifact@v4
              with: {pattern: "shard-*", path: \(scalar(results + "/shards")), merge-multiple: true}
            # Status 1 says that a run did not pass, which is a result.
            - run: \(scalar(request.merging(in: "results") + " || test $? = 1"))
            - uses: actions/upload-artifact@v4
              with: {name: results, path: \(scalar(results))}

      """
    return Submission(
      files: [("campaign.yml", text)], commands: [],
      advice: [
        "copy \(request.folder)/github/campaign.yml to .github/workflows, commit it, and start it with: gh workflow run campaign.yml",
        "fetch the results with: gh run download --name results",
      ])
  }

  /// An Indexed Job of Kubernetes with one index for each shard, and a job that merges them when all are there.
  ///
  /// - Throws: `Failure` if a file of the campaign cannot be read.
  static func kubernetes(_ request: Request) throws(Failure) -> Submission {
    let files = try request.files()
    func scalar(_ text: String) -> String { JSONValue.string(text).compact }
    let (campaign, results) = ("/campaign", Self.results(request))
    let command = request.command(
      shard: "$((JOB_COMPLETION_INDEX + 1))/\(request.shards)",
      file: files.relative(request.campaign.file), folder: results)
    let items = files.contents.enumerated().map { "{key: f\($0), path: \(scalar($1.name))}" }
      .joined(separator: ", ")
    let volumes = """
            volumes:
              - name: campaign
                configMap: {name: \(request.name), items: [\(items)]}
              - name: results
                persistentVolumeClaim: {claimName: \(request.claim)}
      """
    let mounts =
      "[{name: campaign, mountPath: \(campaign)}, {name: results, mountPath: /results}]"
    let shards = """
      ---
      apiVersion: batch/v1
      kind: Job
      metadata: {name: \(request.name)}
      spec:
        completionMode: Indexed
        completions: \(request.shards)
        parallelism: \(min(request.shards, 100))
        backoffLimit: \(max(request.shards, 20))
        template:
          spec:
            restartPolicy: Never
            containers:
              - name: shard
                image: \(scalar(request.image))
                workingDir: \(campaign)
                command: [/bin/sh, -c, \(scalar("exec " + command))]
                resources: {requests: {cpu: "1", memory: 128Mi}, limits: {memory: 512Mi}}
                volumeMounts: \(mounts)
      \(volumes)

      """
    let text =
      try configMap(request, files) + shards + merging(request, mounts: mounts, volumes: volumes)
    let path = FilePath.joined(request.folder, "kubernetes/campaign.yaml")
    return Submission(
      files: [("campaign.yaml", text)], commands: [],
      advice: [
        ShellCommand.text(["kubectl", "apply", "-f", path]),
        ShellCommand.text(["kubectl", "get", "job", request.name, "\(request.name)-merge"]),
        ShellCommand.text(["kubectl", "delete", "-f", path]),
      ])
  }

  /// The folder of a campaign's results in the volume, which other campaigns may share.
  private static func results(_ request: Request) -> String { "/results/\(request.name)" }

  /// The files of a campaign as a ConfigMap.
  ///
  /// - Throws: `Failure` of kind badContent if they are too large for one.
  private static func configMap(
    _ request: Request, _ files: Request.Files
  ) throws(Failure) -> String {
    guard files.contents.reduce(0, { $0 + $1.base64.utf8.count }) < 1_000_000 else {
      throw Failure(
        .badContent,
        "the files of the campaign are larger than a ConfigMap of Kubernetes can be (1 MiB)")
    }
    return """
      # Written by 'aneroid campaign submit'. The image needs /bin/sh, aneroid and what a program
      # of the campaign needs; the claim must exist, and needs ReadWriteMany for several nodes.
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: \(request.name)}
      binaryData:
      \(files.contents.enumerated().map { "  f\($0): \($1.base64)" }.joined(separator: "\n"))

      """
  }

  /// The job that merges the shards when all are there.
  private static func merging(_ request: Request, mounts: String, volumes: String) -> String {
    let waiting =
      "until [ \"$(ls \(results(request))/shards/*-of-\(request.shards).csv 2>/dev/null | wc -l)\" -eq \(request.shards) ]; do sleep 5; done"
    func scalar(_ text: String) -> String { JSONValue.string(text).compact }
    let campaign = "/campaign"
    return """
      ---
      apiVersion: batch/v1
      kind: Job
      metadata: {name: \(request.name)-merge}
      spec:
        backoffLimit: 6
        template:
          spec:
            restartPolicy: Never
            initContainers:
              - name: wait
                image: \(scalar(request.image))
                command: [/bin/sh, -c, \(scalar(waiting))]
                volumeMounts: \(mounts)
            containers:
              - name: merge
                image: \(scalar(request.image))
                workingDir: \(campaign)
                command: [/bin/sh, -c, \(scalar(request.merging(in: results(request)) + " || test $? = 1"))]
                volumeMounts: \(mounts)
      \(volumes)

      """
  }
}

extension Submission.Request {
  /// The files of a campaign for another machine: its own, its rig, and those that the rig references.
  struct Files {
    /// The paths relative to the common folder, with the contents in base64.
    let contents: [(name: String, base64: String)]
    private let root: String

    /// Reads files; the common folder is the working directory, or a folder above it.
    ///
    /// - Throws: `Failure` if one cannot be read.
    init(_ paths: [String]) throws(Failure) {
      let absolute = paths.map(FilePath.standardized)
      var root = FilePath.standardized(".")
      for path in absolute {
        while !path.hasPrefix(root == "/" ? root : root + "/") { root = FilePath.folder(of: root) }
      }
      self.root = root
      var contents: [(name: String, base64: String)] = []
      for path in absolute {
        contents.append((Self.relative(path, to: root), Base64.text(try TextFile.bytes(path))))
      }
      self.contents = contents
    }

    private static func relative(_ path: String, to root: String) -> String {
      String(path.dropFirst(root == "/" ? 1 : root.utf8.count + 1))
    }

    /// Returns a path relative to the common folder.
    func relative(_ path: String) -> String {
      Self.relative(FilePath.standardized(path), to: root)
    }
  }

  /// The working directory, relative to the root of its Git repository; "." outside of one.
  var folderInRepository: String {
    let here = FilePath.standardized(".")
    var root = here
    while !TextFile.exists(FilePath.joined(root, ".git")) {
      guard root != "/" else { return "." }
      root = FilePath.folder(of: root)
    }
    return root == here ? "." : String(here.dropFirst(root == "/" ? 1 : root.count + 1))
  }

  /// Reads the files of the campaign.
  ///
  /// - Throws: `Failure` if one cannot be read.
  func files() throws(Failure) -> Files { try Files([campaign.file] + campaign.namedFiles) }
}
