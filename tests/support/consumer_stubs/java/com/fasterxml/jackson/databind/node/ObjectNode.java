package com.fasterxml.jackson.databind.node;

import com.fasterxml.jackson.databind.JsonNode;

/** What the consumer takes of the real one. */
public abstract class ObjectNode extends JsonNode {
    public abstract ObjectNode put(String fieldName, String value);

    public abstract ObjectNode put(String fieldName, long value);

    public abstract <T extends JsonNode> T set(String fieldName, JsonNode value);
}
