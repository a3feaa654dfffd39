// A real SAML provider (npm's samlp, which Auth0 runs) on loopback. Arguments: a JSON file with `issuer`, `port`, `key`,
// `cert`, `consumer` and `people`, which is read again for each person, so that a test can change what is said of them.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const express = require("express");
const samlp = require("samlp");

const file = process.argv[2];
const told = () => JSON.parse(readFileSync(file, "utf8"));
const { issuer, port, key, cert } = told();

class Profile {
  constructor(person) {
    this.person = person;
  }
  getClaims() {
    return this.person.attributes;
  }
  getNameIdentifier() {
    return { nameIdentifier: this.person.id, nameIdentifierFormat: this.person.format };
  }
}

const app = express();
app.get("/metadata", samlp.metadata({ issuer, cert, redirectEndpointPath: "/sso", postEndpointPath: "/sso" }));
app.get("/sso", (request, response, next) => {
  if (!request.query.login) {
    const kept = ["SAMLRequest", "RelayState"].map(
      (name) => `<input type="hidden" name="${name}" value="${encodeURI(request.query[name]).replace(/"/g, "")}">`,
    );
    response.send(`<form>${kept.join("")}<input name="login"><button>Sign-in</button></form>`);
    return;
  }
  const { people, consumer, options } = told();
  const person = people[request.query.login];
  const given = {
    issuer, key, cert, ...options,
    recipient: consumer, destination: consumer,
    getPostURL: (audience, dom, req, callback) => callback(null, consumer),
    getUserFromRequest: () => person,
    profileMapper: (user) => new Profile(user),
  };
  samlp.auth(given)(request, response, next);
});
app.listen(port, "127.0.0.1", () => console.log("listening"));
