import { offerPasskey } from './passkey.js'

offerPasskey('/passkey/options', '/passkey', (options) =>
  navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
  }),
)
