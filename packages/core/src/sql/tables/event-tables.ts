import { counter, encrypted, flag, id, json, nullable, type Table, text, time } from './column.ts'

/** The feed of events and its webhook endpoints. */
export const eventTables = {
  clientele_events: {
    erasure: 'kept',
    retained:
      'The audit log says what happened, when, and by which id, until its entries expire: without name, e-mail addresses, roles and metadata. Only who acted as another user stays, as it was written.',
    columns: {
      account_id: id(),
      id: id(),
      type: text(),
      created_at: time(),
      actor_type: text(),
      actor_id: nullable(text('pseudonym')),
      request_id: text(),
      subject_type: text(),
      subject_id: nullable(text('pseudonym')),
      /** As on the wire, without personal data */
      data: text('pseudonym'),
      /** The personal data, as JSON */
      person: nullable(text('emptied')),
      /** Its place in the account's feed; null: not placed yet */
      position: nullable(counter()),
      /** Keyed digests that link it to the previous entry; null: the feed has no chain */
      chain: nullable(text()),
      /** The salt of the person's digest. It is deleted with the person */
      person_salt: nullable(text('emptied')),
    },
  },
  clientele_event_feeds: {
    erasure: 'none',
    columns: {
      account_id: id(),
      last_position: counter(),
      /** Events up to this position have been deleted */
      purged_position: counter(),
      /** The links of the last entry and of the last deleted one; null: no such entry */
      chain: nullable(text()),
      purged_chain: nullable(text()),
    },
  },
  clientele_webhooks: {
    erasure: 'none',
    key: 'id',
    columns: {
      account_id: id(),
      id: id(),
      url: text(),
      types: json(),
      description: text(),
      is_active: flag(),
      disabled_reason: nullable(text()),
      encrypted_secret: encrypted('webhook', 'nothing'),
      previous_encrypted_secret: nullable(encrypted('webhook', 'nothing')),
      previous_expires_at: nullable(time()),
      created_at: time(),
      updated_at: time(),
      /** Every event up to this position was delivered, became a pending delivery, or has an unwanted type */
      position: counter(),
      /** The first failure since the last success */
      failing_since: nullable(time()),
      /** The total number of attempts */
      attempt_count: counter(),
      /** The process that delivers to it, and the end of its lease */
      lease_holder: nullable(text()),
      lease_until: time(),
    },
  },
  /**
   * Messages that are delivered apart from the feed: failed events and tests. A row points to its event; only a test has
   * a payload.
   */
  clientele_webhook_deliveries: {
    erasure: 'none',
    columns: {
      account_id: id(),
      webhook_id: id(),
      event_id: id(),
      position: counter(),
      payload: nullable(text()),
      attempts: counter(),
      next_attempt_at: time(),
    },
  },
  clientele_webhook_attempts: {
    erasure: 'none',
    columns: {
      account_id: id(),
      webhook_id: id(),
      /** The attempt's number, modulo the number of attempts that are kept */
      slot: counter(),
      id: id(),
      event_id: id(),
      type: text(),
      attempt: counter(),
      status: nullable(counter()),
      /** `error` or `no_answer` */
      reason: nullable(text()),
      attempted_at: time(),
      duration_ms: counter(),
    },
  },
} as const satisfies Record<string, Table>
