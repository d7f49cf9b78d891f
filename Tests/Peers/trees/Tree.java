import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Threads and processes that wait for each other, one way a run: java -cp FOLDER Tree WAY. */
public final class Tree {
  private static String shell(int seconds) throws Exception {
    Process process =
        new ProcessBuilder("sh", "-c", "sleep " + seconds + "; echo " + seconds).start();
    String text = new String(process.getInputStream().readAllBytes()).trim();
    return process.waitFor() + ":" + text;
  }

  private static Object pool() throws Exception {
    var pool = Executors.newFixedThreadPool(4);
    List<Future<String>> waiting = new ArrayList<>();
    for (int seconds = 1; seconds <= 4; seconds++) {
      final int length = seconds;
      waiting.add(pool.submit(() -> shell(length)));
    }
    List<String> texts = new ArrayList<>();
    for (var each : waiting) texts.add(each.get());
    pool.shutdown();
    return texts;
  }

  private static Object limited() throws Exception {
    Process process = new ProcessBuilder("sleep", "9").start();
    boolean ended = process.waitFor(4, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    return ended;
  }

  public static void main(String[] arguments) throws Exception {
    long start = System.nanoTime();
    Object result =
        switch (arguments[0]) {
          case "child" -> shell(1) + " " + shell(2) + " " + shell(1);
          case "pool" -> pool();
          case "limited" -> limited();
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    System.out.printf("%s %.1f s%n", result, (System.nanoTime() - start) / 1e9);
  }
}
