#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $line in
  *'"initialize"'*)
    result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"test","version":"1"}}' ;;
  *'"tools/list"'*)
    schema='"description":"for tests","inputSchema":{"type":"object","properties":{}}'
    result='{"tools":[{"name":"ping",'$schema'},{"name":"pong",'$schema'}]}' ;;
  *'"ping"'*) result='{"content":[{"type":"text","text":"this is ping"}]}' ;;
  *'"pong"'*) result='{"content":[{"type":"text","text":"this is pong"}]}' ;;
  *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
