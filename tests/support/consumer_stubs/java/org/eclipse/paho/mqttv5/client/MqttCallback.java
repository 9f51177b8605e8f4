package org.eclipse.paho.mqttv5.client;

import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;

/** What the consumer takes of the real one. */
public interface MqttCallback {
    void disconnected(MqttDisconnectResponse response);

    void mqttErrorOccurred(MqttException exception);

    void messageArrived(String topic, MqttMessage message) throws Exception;

    void deliveryComplete(IMqttToken token);

    void connectComplete(boolean reconnect, String serverURI);

    void authPacketArrived(int reasonCode, MqttProperties properties);
}
