// What objects load when they wake is there beforehand: the tests' runtime fetches a module over a connection of whoever
// asked first, and where `reset` ends that one meanwhile, all others wait for good. The Worker's own has every module at hand.

import "../../src/audit/audit-log-object.ts";
import "../../src/keys/api-key-object.ts";
import "../../src/registry/catalogue-replica-object.ts";
import "../../src/registry/tool-registry-object.ts";
import "../../src/sessions/answer-frame.ts";
import "../../src/sessions/call-relay-object.ts";
import "../../src/sessions/session-hub-object.ts";
