// A real OpenID provider (npm's oidc-provider, certified) on loopback. Arguments: a JSON file with `issuer`, `port`,
// `clients` and `people`, which is read again for each person, so that a test can change what is said of them.
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const file = process.argv[2];
const told = () => JSON.parse(readFileSync(file, "utf8"));
const { issuer, port, clients } = told();

const provider = new Provider(issuer, {
  clients,
  pkce: { required: () => true },
  conformIdTokenClaims: false,
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
  features: { devInteractions: { enabled: true } },
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: () => ({ sub: id, ...told().people[id] }),
  }),
  ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
});
provider.listen(port, "127.0.0.1", () => console.log("listening"));
