import { offerPasskey } from './passkey.js'

offerPasskey('/passkey/sign-in/options', '/passkey/sign-in', (options) =>
  navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
  }),
)
