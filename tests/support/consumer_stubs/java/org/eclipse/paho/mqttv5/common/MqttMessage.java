package org.eclipse.paho.mqttv5.common;

/** What the consumer takes of the real one. */
public class MqttMessage {
    public byte[] getPayload() {
        return new byte[0];
    }

    public int getId() {
        return 0;
    }

    public int getQos() {
        return 1;
    }
}
