import type { Migration } from '../migration.ts'

/** Keeps which issuer's token began the enrolment of a passkey, and in which state; null: no other issuer's did. */
export const ceremonyIssuers: Migration = {
  name: '0022-ceremony-issuers',
  up: ({ schema }, { types }) => [
    schema.alterTable('clientele_passkey_ceremonies').addColumn('issuer_id', types.id),
    schema.alterTable('clientele_passkey_ceremonies').addColumn('issuer_updated_at', types.time),
    schema.alterTable('clientele_passkey_ceremonies').addColumn('identity_id', types.id),
  ],
}
