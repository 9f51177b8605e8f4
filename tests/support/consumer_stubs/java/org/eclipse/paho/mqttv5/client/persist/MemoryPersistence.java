package org.eclipse.paho.mqttv5.client.persist;

import org.eclipse.paho.mqttv5.client.MqttClientPersistence;

/** What the consumer takes of the real one. */
public class MemoryPersistence implements MqttClientPersistence {}
