import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/**
 * A consumer in Java: handles every event of a site's tables once, in order, whatever is restarted.
 *
 * <p>{@code java Consumer tcp://mqtt-host:1883 dealer/v1/studio-1 settler settled.sqlite3 [station-public.pem ...]}
 *
 * <p>{@code TABLES=r1,r2} in the environment where the broker refuses a subscription for all tables at once, as ejabberd
 * does.
 *
 * <p>What an event means to you and how far you are go into one transaction ({@link #settle}): that is all of the
 * secret. Whatever else comes on these topics is left, with a line that says so. With Eclipse Paho (org.eclipse.paho.mqttv5.client), Jackson and a JDBC driver (sqlite-jdbc).
 */
public final class Consumer implements MqttCallback {
    private static final long STALE_MS = 2000; // without progress for so long, what is missing is asked for
    private static final long LOOK_MS = 100;
    private static final Pattern SIGNATURE = Pattern.compile(",\"signature\":\"([A-Za-z0-9_-]{86})\"}$");
    private static final Pattern SIGNKEY = Pattern.compile("\"signkey\":\"([0-9a-f]{16})\"");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LARGEST = (1L << 53) - 1; // a sequence is a whole number that every language holds

    /** A body that no station sends: anybody may publish anything. The message goes on after "it ...". */
    private static final class NotOurs extends Exception {
        NotOurs(String why) {
            super(why);
        }
    }

    private static JsonNode read(byte[] body) throws NotOurs {
        JsonNode found;
        try {
            found = JSON.readTree(body);
        } catch (IOException error) {
            throw new NotOurs("is no JSON: " + error.getMessage());
        }
        if (found == null || !found.isObject()) {
            throw new NotOurs("is no object in JSON");
        }
        return found;
    }

    private static JsonNode object(JsonNode found, String key) throws NotOurs {
        if (!found.path(key).isObject()) {
            throw new NotOurs("has no " + key);
        }
        return found.path(key);
    }

    private static String text(JsonNode found, String key) throws NotOurs {
        if (!found.path(key).isTextual()) {
            throw new NotOurs("has no text as " + key);
        }
        return found.path(key).asText();
    }

    private static long number(JsonNode found, String key, long least) throws NotOurs {
        JsonNode value = found.path(key);
        if (!value.isIntegralNumber() || !value.canConvertToLong()
                || value.asLong() < least || value.asLong() > LARGEST) {
            throw new NotOurs("has no sequence as " + key);
        }
        return value.asLong();
    }

    /** How far we are with one table. */
    private static final class Table {
        long handled;
        long newest;
        long told = -1;
        long moved = System.currentTimeMillis();
    }

    private final String base;
    private final String name;
    /** Begins the ids of our commands; what others asked is not our business. */
    private final String runId = UUID.randomUUID().toString();
    private final Connection db;
    private final Map<String, PublicKey> keys;
    private final Map<String, Table> tables = new ConcurrentHashMap<>();
    private final MqttClient client;
    private final MqttConnectionOptions options = new MqttConnectionOptions();

    private Consumer(String broker, String base, String name, Connection db, Map<String, PublicKey> keys)
            throws MqttException, SQLException {
        this.base = base;
        this.name = name;
        this.db = db;
        this.keys = keys;
        try (var statement = db.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS handled (dealer_table TEXT PRIMARY KEY, sequence INTEGER)");
            statement.execute("CREATE TABLE IF NOT EXISTS settled (id TEXT, type TEXT, round TEXT, data TEXT)");
        }
        db.setAutoCommit(false);
        client = new MqttClient(broker, name, new MemoryPersistence());
        client.setManualAcks(true); // the broker may forget an event only after our commit
        client.setCallback(this);
        client.setTimeToWait(5000);
        options.setCleanStart(false);
        options.setSessionExpiryInterval(86_400L);
        options.setKeepAliveInterval(10);
    }

    /** Yours to write: all that the event means, through {@code db} and nowhere else. No commit here. */
    private static void settle(Connection db, JsonNode event) throws SQLException {
        String type = event.get("type").asText();
        if (!List.of("round.outcome", "outcome.corrected", "round.voided").contains(type)) {
            return;
        }
        try (var row = db.prepareStatement("INSERT INTO settled VALUES (?, ?, ?, ?)")) {
            row.setString(1, event.get("id").asText());
            row.setString(2, type);
            row.setString(3, event.path("subject").asText());
            row.setString(4, event.get("data").toString());
            row.execute();
        }
    }

    private boolean verified(byte[] body) throws Exception {
        if (keys.isEmpty()) {
            return true;
        }
        // A byte is a character in Latin-1: offsets are those of the bytes.
        String text = new String(body, StandardCharsets.ISO_8859_1);
        Matcher found = SIGNATURE.matcher(text);
        Matcher named = SIGNKEY.matcher(text);
        if (!found.find() || !named.find() || !keys.containsKey(named.group(1))) {
            return false;
        }
        Signature check = Signature.getInstance("Ed25519");
        check.initVerify(keys.get(named.group(1)));
        check.update("dealer-station event v1\n".getBytes(StandardCharsets.UTF_8));
        check.update(body, 0, found.start());
        check.update((byte) '}');
        return check.verify(Base64.getUrlDecoder().decode(found.group(1)));
    }

    /** An event, a table's state, or the refusal of what we asked for. Acknowledged when it is done. */
    @Override
    public void messageArrived(String topic, MqttMessage message) {
        try {
            String[] words = topic.substring(base.length() + 1).split("/");
            Table table = tables.get(words[0]);
            if (table == null) {
                table = new Table();
                table.handled = kept(words[0]);
                tables.put(words[0], table);
            }
            byte[] body = message.getPayload();
            if (words[1].equals("events") && !verified(body)) {
                System.err.println(words[0] + ": an event that no station signed");
            } else {
                try {
                    take(words[0], words[1], table, read(body));
                } catch (NotOurs wrong) {
                    System.err.println(topic + ": left, it " + wrong.getMessage());
                }
            }
            client.messageArrivedComplete(message.getId(), message.getQos());
        } catch (Exception error) {
            System.err.println(topic + ": " + error);
            Runtime.getRuntime().halt(1); // it is started again and goes on where it was
        }
    }

    private void take(String key, String kind, Table table, JsonNode body) throws NotOurs, SQLException, IOException {
        if (kind.equals("events")) {
            handle(key, table, body);
        } else if (kind.equals("state")) {
            table.newest = Math.max(table.newest, number(body, "last_sequence", 0));
        } else {
            answered(key, object(body, "data"));
        }
    }

    /** The next one is handled; one that we have, or that is too early, is not. */
    private void handle(String key, Table table, JsonNode event) throws NotOurs, SQLException {
        long last = number(event, "sequence", 1);
        boolean lost = text(event, "type").equals("events.lost");
        long first = lost ? number(object(event, "data"), "from_sequence", 1) : last;
        text(event, "id");
        object(event, "data");
        String site = base.substring(base.lastIndexOf('/') + 1);
        if (!text(event, "source").equals("/" + site + "/" + key)) {
            return; // signed perhaps, and of another table
        }
        table.newest = Math.max(table.newest, last);
        if (first > table.handled + 1 || table.handled + 1 > last) {
            return;
        }
        settle(db, event);
        try (var row = db.prepareStatement("INSERT OR REPLACE INTO handled VALUES (?, ?)")) {
            row.setString(1, key);
            row.setLong(2, last);
            row.execute();
        }
        db.commit(); // one transaction: both or neither
        table.handled = last;
        table.moved = System.currentTimeMillis();
    }

    private long kept(String key) throws SQLException {
        try (var row = db.prepareStatement("SELECT sequence FROM handled WHERE dealer_table = ?")) {
            row.setString(1, key);
            try (var found = row.executeQuery()) {
                return found.next() ? found.getLong(1) : 0;
            }
        }
    }

    private void run() throws InterruptedException {
        while (true) {
            try {
                if (!client.isConnected()) {
                    client.connect(options);
                    subscribe();
                    tables.values().forEach(table -> table.told = -1); // the broker may have forgotten us
                }
                lookAfter();
            } catch (MqttException error) {
                System.err.println("broker: " + error);
                Thread.sleep(1000);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    /** Tell the stations how far we are, and ask for what does not come by itself. */
    private void lookAfter() throws MqttException {
        for (var entry : tables.entrySet()) {
            Table table = entry.getValue();
            String topic = base + "/" + entry.getKey();
            long handled = table.handled;
            if (table.told != handled) {
                byte[] body = ("{\"sequence\": " + handled + "}").getBytes(StandardCharsets.UTF_8);
                client.publish(topic + "/acks/" + name, body, 1, true);
                table.told = handled;
            }
            if (table.newest > handled && System.currentTimeMillis() - table.moved > STALE_MS) {
                table.moved = System.currentTimeMillis();
                subscribe(); // a node of a cluster may have lost our subscriptions and not said so
                client.publish(topic + "/commands/consumer/" + name, resend(handled + 1), 1, false);
            }
        }
    }

    private void subscribe() throws MqttException {
        String[] leaves = {"events/+", "state", "replies/" + name};
        String[] named = System.getenv().getOrDefault("TABLES", "+").split(",");
        String[] filters = Arrays.stream(named)
                .flatMap(table -> Arrays.stream(leaves).map(leaf -> base + "/" + table + "/" + leaf))
                .toArray(String[]::new);
        int[] qos = new int[filters.length];
        Arrays.fill(qos, 1);
        client.subscribe(filters, qos);
    }

    /** The answer to a command of ours. Anybody can have answers sent to our topic: those are left. */
    private void answered(String table, JsonNode reply) throws NotOurs, IOException {
        if (reply.path("ok").asBoolean() || !text(reply, "command").startsWith(runId)) {
            return;
        }
        String words = table + ": " + text(reply, "error") + ": " + text(reply, "message");
        if (text(reply, "error").equals("bad_argument")) {
            throw new IOException(words); // what we miss is not kept any more: a person must look
        }
        System.err.println(words);
    }

    private byte[] resend(long first) {
        var data = JSON.createObjectNode().put("by", name).put("role", "consumer").put("from", first);
        String id = runId + "-" + System.nanoTime();
        var command = JSON.createObjectNode().put("specversion", "1.0").put("id", id);
        command.put("source", "/" + name).put("type", "events.resend").put("time", Instant.now().toString());
        return command.set("data", data).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, PublicKey> readKeys(List<String> files) throws Exception {
        Map<String, PublicKey> keys = new HashMap<>();
        for (String file : files) {
            String pem = Files.readString(Path.of(file)).replaceAll("-----[A-Z ]+-----|\\s", "");
            byte[] der = Base64.getDecoder().decode(pem);
            byte[] raw = Arrays.copyOfRange(der, der.length - 32, der.length);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(raw);
            PublicKey key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der));
            keys.put(HexFormat.of().formatHex(hash, 0, 8), key);
        }
        return keys;
    }

    public static void main(String[] asked) throws Exception {
        Connection db = DriverManager.getConnection("jdbc:sqlite:" + asked[3]);
        var keys = readKeys(Arrays.asList(asked).subList(4, asked.length));
        new Consumer(asked[0], asked[1], asked[2], db, keys).run();
    }

    @Override
    public void disconnected(MqttDisconnectResponse response) {
        System.err.println("broker: " + response);
    }

    @Override
    public void mqttErrorOccurred(MqttException error) {
        System.err.println("broker: " + error);
    }

    @Override
    public void deliveryComplete(IMqttToken token) {}

    @Override
    public void connectComplete(boolean reconnect, String server) {}

    @Override
    public void authPacketArrived(int reason, MqttProperties properties) {}
}
