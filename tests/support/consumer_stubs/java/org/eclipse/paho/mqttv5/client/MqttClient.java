package org.eclipse.paho.mqttv5.client;

import org.eclipse.paho.mqttv5.common.MqttException;

/** What the consumer takes of the real one. */
public class MqttClient {
    public MqttClient(String serverURI, String clientId, MqttClientPersistence persistence) throws MqttException {}

    public void setManualAcks(boolean manualAcks) {}

    public void setCallback(MqttCallback callback) {}

    public void setTimeToWait(long timeToWaitInMillis) throws IllegalArgumentException {}

    public boolean isConnected() {
        return false;
    }

    public void connect(MqttConnectionOptions options) throws MqttException {}

    public void publish(String topic, byte[] payload, int qos, boolean retained) throws MqttException {}

    public IMqttToken subscribe(String[] topicFilters, int[] qos) throws MqttException {
        return null;
    }

    public void messageArrivedComplete(int messageId, int qos) throws MqttException {}
}
