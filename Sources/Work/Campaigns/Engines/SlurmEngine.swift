import Support

extension Submission {
  /// A job array of Slurm with one task for each shard, and a job that merges them when all have ended.
  ///
  /// The folder of the results must be on a file system that all nodes share. A task whose node fails is queued again; its
  /// shard appears only when it is complete, so it is simply executed again.
  static func slurm(_ request: Request) -> Submission {
    let folder = FilePath.joined(request.folder, "slurm")
    let here = ShellCommand.text([FilePath.standardized(".")])
    let options = request.batchOptions.map { "#SBATCH \($0)\n" }.joined()
    let shards = """
      #!/bin/sh
      #SBATCH --job-name=\(request.name)
      #SBATCH --array=1-\(request.shards)
      #SBATCH --ntasks=1
      #SBATCH --cpus-per-task=1
      #SBATCH --requeue
      #SBATCH --open-mode=append
      #SBATCH --output="\(folder)/shard-%a.log"
      \(options)cd \(here) || exit
      exec \(request.command(shard: "$SLURM_ARRAY_TASK_ID/\(request.shards)", file: request.campaign.file, folder: request.folder))

      """
    let merge = """
      #!/bin/sh
      #SBATCH --job-name=\(request.name)-merge
      #SBATCH --ntasks=1
      #SBATCH --requeue
      #SBATCH --output="\(folder)/merge.log"
      \(options)cd \(here) || exit
      \(request.merging(in: request.folder))
      # Status 1 says that a run did not pass, which is a result.
      test $? -le 1

      """
    return Submission(
      files: [("shards.sh", shards), ("merge.sh", merge)],
      commands: [
        ["sbatch", "--parsable", "\(folder)/shards.sh"],
        [
          "sbatch", "--parsable", "--kill-on-invalid-dep=yes", "--dependency=afterok:{0}",
          "\(folder)/merge.sh",
        ],
      ],
      advice: [
        "aneroid campaign status \(request.folder)", "aneroid campaign cancel \(request.folder)",
      ])
  }
}

extension Submission {
  /// A driver program for Ray with one task for each shard.
  ///
  /// Tasks receive the files of the campaign and return the files of their shards, so the nodes need only this program.
  ///
  /// - Throws: `Failure` if a file of the campaign cannot be read.
  static func ray(_ request: Request) throws(Failure) -> Submission {
    func quoted(_ text: String) -> String { JSONValue.string(text).compact }
    let options = request.options.map(quoted).joined(separator: ", ")
    let files = try request.files()
    let head = """
      # Written by 'aneroid campaign submit'; runs on the cluster of RAY_ADDRESS, else on one of this machine.
      import base64
      import os
      import subprocess
      import sys
      import tempfile

      import ray

      ANEROID = \(quoted(request.program))
      FILE = \(quoted(files.relative(request.campaign.file)))
      RESULTS = \(quoted(request.folder))
      HERE = \(quoted(FilePath.standardized(".")))
      COUNT = \(request.shards)
      FILES = {
      \(files.contents.map { "    \(quoted($0.name)): \(quoted($0.base64))," }.joined(separator: "\n"))
      }


      """
    let script = head + driver(options: options)
    return Submission(
      files: [("campaign.py", script)],
      commands: [["python3", FilePath.joined(request.folder, "ray/campaign.py")]],
      advice: [
        "aneroid campaign status \(request.folder)", "aneroid campaign cancel \(request.folder)",
      ])
  }
  /// The part of the driver program that does not depend on the campaign.
  private static func driver(options: String) -> String {
    """
    @ray.remote(num_cpus=1, max_retries=20, retry_exceptions=[subprocess.CalledProcessError, OSError])
    def shard(index, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(base64.b64decode(content))
            subprocess.run(
                [ANEROID, "campaign", "run", "--shard", f"{index}/{COUNT}", "--out", "results", \(options.isEmpty ? "" : options + ", ")"--", FILE],
                cwd=folder, check=True)
            shards = os.path.join(folder, "results", "shards")
            name = os.listdir(shards)[0]
            with open(os.path.join(shards, name), "rb") as file:
                return name, file.read()


    def is_finished(index):
        width = len(str(COUNT))
        return os.path.exists(os.path.join(RESULTS, "shards", f"{index:0{width}}-of-{COUNT}.csv"))


    os.makedirs(os.path.join(RESULTS, "shards"), exist_ok=True)
    ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False)
    files = ray.put(FILES)
    waiting = [shard.remote(index, files) for index in range(1, COUNT + 1) if not is_finished(index)]
    while waiting:
        done, waiting = ray.wait(waiting)
        name, content = ray.get(done[0])
        path = os.path.join(RESULTS, "shards", name)
        with open(path + ".draft", "wb") as file:
            file.write(content)
            os.fsync(file.fileno())
        os.rename(path + ".draft", path)
    # Status 1 says that a run did not pass, which is a result.
    merged = subprocess.run([ANEROID, "campaign", "merge", RESULTS, "--out", RESULTS], cwd=HERE)
    sys.exit(merged.returncode > 1)

    """
  }
}
