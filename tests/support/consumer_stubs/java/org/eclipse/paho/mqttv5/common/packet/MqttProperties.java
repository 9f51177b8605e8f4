package org.eclipse.paho.mqttv5.common.packet;

/** What the consumer takes of the real one. */
public class MqttProperties {}
