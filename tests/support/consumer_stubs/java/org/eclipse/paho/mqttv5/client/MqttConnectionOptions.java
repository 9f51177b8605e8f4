package org.eclipse.paho.mqttv5.client;

/** What the consumer takes of the real one. */
public class MqttConnectionOptions {
    public void setCleanStart(boolean cleanStart) {}

    public void setSessionExpiryInterval(Long sessionExpiryInterval) {}

    public void setKeepAliveInterval(int keepAliveInterval) {}
}
