import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;

/** MongoDB in memory for the conformance suite, on the loopback port that is its only argument. */
final class MongoStandIn {
  public static void main(String[] args) {
    new MongoServer(new Backend()).bind("127.0.0.1", Integer.parseInt(args[0]));
  }

  private static final class Backend extends MemoryBackend {
    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      // The suite asks for it when it is up, and ends when there is no answer.
      if (command.equalsIgnoreCase("getParameter")) {
        return new Document("featureCompatibilityVersion", new Document("version", "6.0")).append("ok", 1.0);
      }
      return super.handleCommand(channel, database, command, query);
    }
  }
}
