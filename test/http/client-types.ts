// Generated from /client/user/openapi.json: npm test -- http/openapi -u
export interface paths {
    "/client/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users, in the order of their creation unless sorted otherwise
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["findUser"];
        /**
         * Replace a user: missing roles and metadata become empty, a missing password leaves the password
         * @description Needs an API key with the scope `users:write`.
         */
        put: operations["replaceUser"];
        post?: never;
        /**
         * Delete a user for good, with its sessions and secrets
         * @description Needs an API key with the scope `users:write`.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change some fields of a user: JSON Merge Patch (RFC 7396)
         * @description Needs an API key with the scope `users:write`.
         */
        patch: operations["patchUser"];
        trace?: never;
    };
    "/client/user/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a user sign in again
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["activateUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shut a user out: it cannot sign in, and its tokens are not valid any more
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["deactivateUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all that is kept about a person
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a user for good, and take the person out of all that stays
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["eraseUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/validation-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether a token is valid now, and whose it is
         * @description Needs an API key with the scope `tokens:validate`.
         */
        post: operations["validateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/validation-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say of up to 100 tokens whether they are valid now, and whose they are
         * @description Needs an API key with the scope `tokens:validate`.
         */
        post: operations["validateTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether a token is active, and what it says (RFC 7662)
         * @description Needs an API key with the scope `tokens:validate`.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a user in with e-mail and password
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/login/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer the challenge of a sign-in
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["completeTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/login/two-factor/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a code for the challenge of a sign-in
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["mailTwoFactorCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say which second factors a user has
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["readTwoFactor"];
        put?: never;
        post?: never;
        /**
         * Remove every second factor of a user
         * @description Needs an API key with the scope `users:write`.
         */
        delete: operations["removeTwoFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/two-factor/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to enrol an authenticator app (RFC 6238)
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["enrolTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/two-factor/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an authenticator app by a code of it
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/two-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new recovery codes in the place of the old ones
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/two-factor/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a user prove the second factor by a mailed code
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["enrolEmailFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a session: each refresh token works once, and gives its successor
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of a refresh token, and with it its tokens
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's live sessions, oldest first
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End every session of a user
         * @description Needs an API key with the scope `users:write`.
         */
        delete: operations["revokeSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/session/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session of a user
         * @description Needs an API key with the scope `users:write`.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who a user is at other issuers, oldest first
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Say who a user is at another issuer
         * @description Needs an API key with the scope `users:write`.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/identity/{identity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an identity from a user
         * @description Needs an API key with the scope `users:write`.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a token by which a new password can be set
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by a mailed token; every session of the user ends
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/email/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a token by which the address can be verified
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["requestEmailVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/email/verification/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the address by a mailed token
         * @description Needs an API key with the scope `tokens:issue`.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/{id}/email/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say when the address that a user has now was verified
         * @description Needs an API key with the scope `users:read`.
         */
        get: operations["readEmailVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/account/{account_id}/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public keys that verify the account's tokens (RFC 7517) */
        get: operations["readJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/account/{account_id}/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What verifiers of the account's tokens find by the issuer's URL (OpenID Connect Discovery) */
        get: operations["readOpenIdConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/account/{account_id}/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What verifiers of the account's tokens find by the issuer's URL (RFC 8414) */
        get: operations["readServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read on in the feed of what has happened, oldest first
         * @description Needs an API key with the scope `events:read`.
         */
        get: operations["readEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/auth/revocation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read on in what makes tokens invalid before they expire, oldest first
         * @description Needs an API key with the scope `tokens:validate`.
         */
        get: operations["readRevocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the endpoints, oldest first
         * @description Needs an API key with the scope `webhooks:write`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Add an endpoint: what happens from now on is sent to it
         * @description Needs an API key with the scope `webhooks:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/webhook/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an endpoint
         * @description Needs an API key with the scope `webhooks:write`.
         */
        get: operations["findWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint, and what waits to be sent to it
         * @description Needs an API key with the scope `webhooks:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change an endpoint; what the body does not name stays
         * @description Needs an API key with the scope `webhooks:write`.
         */
        patch: operations["patchWebhook"];
        trace?: never;
    };
    "/client/webhook/{id}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret; for 24 hours the previous one signs too
         * @description Needs an API key with the scope `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/webhook/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test, once: a body like an event’s, of the type webhook.test
         * @description Needs an API key with the scope `webhooks:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/webhook/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send everything behind a cursor of the feed again
         * @description Needs an API key with the scope `webhooks:write`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/webhook/{id}/attempt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last attempts to deliver, latest first
         * @description Needs an API key with the scope `webhooks:write`.
         */
        get: operations["listWebhookAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/client/user/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document (OpenAPI 3.1) */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Problem details (RFC 9457). Decide by `code`. */
        Problem: {
            /**
             * Format: uri
             * @example urn:clientele:problem:user_not_found
             */
            type: string;
            /** @example Not Found */
            title: string;
            /**
             * Format: int32
             * @example 404
             */
            status: number;
            /** @example No such user. */
            detail: string;
            /** @enum {string} */
            code: "malformed_json" | "header_repeated" | "header_invalid" | "api_key_missing" | "api_key_invalid" | "token_malformed" | "token_signature_invalid" | "token_expired" | "token_not_yet_valid" | "token_claims_invalid" | "token_unknown_key" | "token_revoked" | "token_user_not_found" | "token_user_inactive" | "credentials_invalid" | "two_factor_code_invalid" | "challenge_invalid" | "refresh_token_invalid" | "reset_token_invalid" | "verification_token_invalid" | "token_missing" | "scope_insufficient" | "user_not_found" | "account_not_found" | "session_not_found" | "identity_not_found" | "webhook_not_found" | "route_not_found" | "method_not_allowed" | "email_taken" | "idempotency_in_progress" | "two_factor_already_enrolled" | "two_factor_not_enrolled" | "mail_unavailable" | "identity_taken" | "identity_limit_reached" | "webhook_limit_reached" | "webhook_inactive" | "cursor_expired" | "precondition_failed" | "body_too_large" | "media_type_unsupported" | "validation_failed" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "storage_unavailable" | "overloaded";
            /** @description The broken rules, up to 100 of them */
            errors?: {
                /**
                 * @description JSON Pointer (RFC 6901)
                 * @example /name
                 */
                pointer: string;
                /** @example too_short */
                code: string;
                /** @example must have at least 2 characters */
                message: string;
            }[];
            /**
             * @description On problems of a token that is being validated
             * @constant
             */
            isValid?: false;
        };
        CreateUser: {
            /**
             * Format: email
             * @description Unique within the account; trimmed, NFC, lower case
             * @example ada@example.com
             */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description When missing: `[]`.
             * @example [
             *       "admin",
             *       "billing"
             *     ]
             */
            roles?: string[];
            /**
             * @description Any JSON values, at most 8 KiB as JSON. When missing: `{}`.
             * @example {
             *       "plan": "pro"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: password
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description When missing: `true`.
             * @example true
             */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Read-only: ignored here.
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly updated_at?: string;
        };
        ReplaceUser: {
            /**
             * Format: email
             * @description Unique within the account; trimmed, NFC, lower case
             * @example ada@example.com
             */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @description When missing: `[]`.
             * @example [
             *       "admin",
             *       "billing"
             *     ]
             */
            roles?: string[];
            /**
             * @description Any JSON values, at most 8 KiB as JSON. When missing: `{}`.
             * @example {
             *       "plan": "pro"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: password
             * @example correct horse battery staple
             */
            password?: string;
            /** @example true */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Read-only: ignored here.
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly updated_at?: string;
        };
        /** @description JSON Merge Patch (RFC 7396). */
        PatchUser: {
            /**
             * Format: email
             * @description Unique within the account; trimmed, NFC, lower case
             * @example ada@example.com
             */
            email?: string;
            /** @example Ada Lovelace */
            name?: string;
            roles?: string[] | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: password
             * @example correct horse battery staple
             */
            password?: string;
            /** @example true */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Read-only: ignored here.
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description Read-only: ignored here.
             */
            readonly updated_at?: string;
        };
        ValidateToken: {
            /** @example Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA */
            token: string;
        };
        ValidateTokens: {
            /**
             * @example [
             *       "Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
             *     ]
             */
            tokens: string[];
        };
        IntrospectToken: {
            /**
             * @description The JWT, without `Bearer`
             * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            token: string;
        };
        LogIn: {
            /** @example ada@example.com */
            email: string;
            /**
             * Format: password
             * @example correct horse battery staple
             */
            password: string;
        };
        CompleteTwoFactor: {
            /** @example Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY */
            challenge: string;
            /** @enum {string} */
            method: "totp" | "email" | "recovery_code";
            /** @example 287082 */
            code: string;
        };
        ChallengeOnly: {
            /** @example Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY */
            challenge: string;
        };
        ConfirmTotp: {
            /** @example 287082 */
            code: string;
        };
        Refresh: {
            /** @example AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto */
            refresh_token: string;
        };
        LinkIdentity: {
            /**
             * @description `iss` of its tokens, taken as it is
             * @example https://accounts.google.com
             */
            issuer: string;
            /**
             * @description What the issuer calls the user, taken as it is
             * @example 110169484474386276334
             */
            subject: string;
        };
        EmailOnly: {
            /** @example ada@example.com */
            email: string;
        };
        ResetPassword: {
            /** @example Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY */
            token: string;
            /**
             * Format: password
             * @example correct horse battery staple
             */
            password: string;
        };
        ConfirmEmail: {
            /** @example Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY */
            token: string;
        };
        CreateWebhook: {
            /**
             * Format: uri
             * @description https; neither a private nor a link-local address
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @description Types of events, `user.created`, or groups of them, `user.*`; `*` is all When missing: `["*"]`.
             * @example [
             *       "user.*"
             *     ]
             */
            types?: string[];
            /**
             * @description When missing: `""`.
             * @example Our CRM
             */
            description?: string;
            /** @description When missing: `true`. */
            is_active?: boolean;
        };
        PatchWebhook: {
            /**
             * Format: uri
             * @description https; neither a private nor a link-local address
             * @example https://example.com/webhooks
             */
            url?: string;
            /**
             * @description Types of events, `user.created`, or groups of them, `user.*`; `*` is all
             * @example [
             *       "user.*"
             *     ]
             */
            types?: string[];
            /** @example Our CRM */
            description?: string;
            is_active?: boolean;
        };
        ReplayWebhook: {
            /**
             * @description A cursor of the feed: everything behind it is sent again
             * @example AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxQ
             */
            after: string;
        };
        /** @description An end user that belongs to one account. */
        ClientUser: {
            /**
             * Format: uuid
             * @description UUIDv7, assigned by the service
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /**
             * Format: email
             * @description Unique within the account; trimmed, NFC, lower case
             * @example ada@example.com
             */
            email: string;
            /** @example Ada Lovelace */
            name: string;
            /**
             * @example [
             *       "admin",
             *       "billing"
             *     ]
             */
            roles: string[];
            /**
             * @description Any JSON values, at most 8 KiB as JSON.
             * @example {
             *       "plan": "pro"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /** @example true */
            is_active: boolean;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            updated_at: string;
        };
        UserList: {
            data: components["schemas"]["ClientUser"][];
            /**
             * Format: int64
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @example 10
             */
            limit: number;
            /**
             * Format: int64
             * @example 1
             */
            total: number;
        };
        PersonalData: {
            user: components["schemas"]["ClientUser"];
            sessions: {
                /**
                 * Format: uuid
                 * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
                 */
                id: string;
                /**
                 * @description Authentication methods (RFC 8176)
                 * @example [
                 *       "pwd"
                 *     ]
                 */
                amr: string[];
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                last_used_at: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                expires_at: string;
            }[];
            two_factor: components["schemas"]["TwoFactorState"];
            identities: components["schemas"]["Identity"][];
            verified_email: {
                /** @example ada@example.com */
                email: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                verified_at: string;
            } | null;
            former_emails: string[];
            email_tokens: {
                /** @enum {string} */
                purpose: "password_reset" | "email_verification";
                /** @example ada@example.com */
                email: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                expires_at: string;
            }[];
            events: components["schemas"]["Event"][];
            /** @example MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy */
            next_cursor: string;
            /** @description Whether there are more events: ask again with `after` */
            has_more: boolean;
        };
        TwoFactorState: {
            totp: boolean;
            email: boolean;
            /**
             * Format: int32
             * @example 10
             */
            recovery_codes_left: number;
        };
        Identity: {
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /**
             * @description `iss` of its tokens, taken as it is
             * @example https://accounts.google.com
             */
            issuer: string;
            /**
             * @description What the issuer calls the user, taken as it is
             * @example 110169484474386276334
             */
            subject: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            created_at: string;
            /** @description When it last signed the user in */
            last_used_at: string | null;
        };
        Event: {
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /** @enum {string} */
            type: "user.created" | "user.updated" | "user.activated" | "user.deactivated" | "user.deleted" | "user.erased" | "user.exported" | "users.imported" | "events.exported" | "user.logged_in" | "user.login_failed" | "user.logged_out" | "user.password_reset_requested" | "user.password_reset" | "user.email_verified" | "session.revoked" | "session.reuse_detected" | "two_factor.enrolled" | "two_factor.recovery_codes_renewed" | "two_factor.removed" | "identity.linked" | "identity.unlinked" | "account.updated" | "account.disabled" | "account.enabled" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "api_key.refused" | "signing_key.created" | "signing_key.rotated" | "signing_key.retired" | "signing_key.removed" | "issuer.created" | "issuer.updated" | "issuer.deleted" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.deleted";
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            created_at: string;
            actor: {
                /** @enum {string} */
                type: "api_key" | "user" | "operator" | "system";
                /** @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f */
                id: string | null;
            };
            /** @example request-1 */
            request_id: string;
            subject: {
                /** @enum {string} */
                type: "user" | "account" | "api_key" | "signing_key" | "issuer" | "webhook";
                /** @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f */
                id: string | null;
            };
            /**
             * @example {
             *       "changed": [
             *         "name"
             *       ]
             *     }
             */
            data: {
                [key: string]: unknown;
            };
        };
        Erasure: {
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            erased_at: string;
            /**
             * @description How many rows went, by table
             * @example {
             *       "clientele_users": 1,
             *       "clientele_sessions": 2
             *     }
             */
            removed: {
                [key: string]: number;
            };
            /** @description What stays, by table, and why */
            retained: {
                /** @example clientele_events */
                what: string;
                /** @example The audit log says what happened. */
                why: string;
            }[];
            /**
             * @description The other members as a compact JWS (RFC 7515) by the key that signs tokens
             * @example eyJhbGciOiJFZERTQSJ9.eyJpZCI6IjAxOWRmYWUyIn0.c2lnbmF0dXJl
             */
            receipt: string;
        };
        TokenValidation: {
            /** @constant */
            isValid: true;
            /** @constant */
            success_code: 200;
            user: components["schemas"]["ClientUser"];
        };
        TokenValidations: {
            results: (components["schemas"]["TokenValidation"] | components["schemas"]["TokenRefusal"])[];
        };
        TokenRefusal: {
            /** @constant */
            isValid: false;
            /** @enum {string} */
            code: "token_malformed" | "token_signature_invalid" | "token_expired" | "token_not_yet_valid" | "token_claims_invalid" | "token_unknown_key" | "token_revoked" | "token_user_not_found" | "token_user_inactive";
        };
        TokenIntrospection: components["schemas"]["ActiveToken"] | components["schemas"]["InactiveToken"];
        ActiveToken: {
            /** @constant */
            active: true;
            /** @example urn:clientele:account:019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f */
            iss: string;
            /**
             * @description The user's id, in our own tokens
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            sub?: string;
            /** @description The account's id, in our own tokens */
            aud: string | string[];
            /**
             * @description The account's id, in our own tokens
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            client_id: string;
            /**
             * Format: int64
             * @description Seconds since the epoch
             * @example 1778031705
             */
            exp: number;
            /**
             * Format: int64
             * @description Seconds since the epoch
             * @example 1778024505
             */
            iat: number;
            /** @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f */
            jti?: string;
            /**
             * @description The session's id, in our own tokens
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            sid?: string;
            /**
             * @description The user's e-mail
             * @example ada@example.com
             */
            username: string;
            /** @constant */
            token_type: "Bearer";
        };
        InactiveToken: {
            /** @constant */
            active: false;
        };
        SignedIn: {
            /** @constant */
            success_code: 200;
            data: {
                /**
                 * @description A JWT (RFC 7519) of the type at+jwt (RFC 9068)
                 * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
                 */
                token: string;
                /** @constant */
                token_type: "Bearer";
                /**
                 * Format: int32
                 * @description Seconds
                 * @example 7200
                 */
                expires_in: number;
                /** @example AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto */
                refresh_token: string;
                /**
                 * Format: int32
                 * @description Seconds
                 * @example 2592000
                 */
                refresh_expires_in: number;
            };
            user: components["schemas"]["ClientUser"];
        };
        TwoFactorRequired: {
            /** @constant */
            success_code: 202;
            data: {
                /** @constant */
                two_factor_required: true;
                /** @example Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY */
                challenge: string;
                methods: ("totp" | "email" | "recovery_code")[];
                /**
                 * Format: int32
                 * @description Seconds
                 * @example 300
                 */
                expires_in: number;
            };
        };
        TotpEnrolment: {
            /**
             * @description Base32
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * Format: uri
             * @description What authenticator apps read
             * @example otpauth://totp/Acme:ada%40example.com?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30
             */
            otpauth_uri: string;
            /**
             * @description The URI as a QR code, when it was asked for
             * @example <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 49 49"><path d="M2 2h7v1z"/></svg>
             */
            qr_svg?: string;
        };
        RecoveryCodes: {
            /**
             * @example [
             *       "7k3m-92xw-q4rt-v8bn",
             *       "b5xd-0hqe-3wnz-m7ac",
             *       "t9rf-6ykj-p2sv-1g8h",
             *       "e4nw-zc5m-8xqb-r0td",
             *       "v1hs-k7pa-w6fy-2jec",
             *       "q8gz-4tbn-d3mx-9rkw",
             *       "m0cy-xe6h-5vsj-f1pt",
             *       "a2wk-r9dq-7bzg-n4hc",
             *       "s6pj-f3vx-t8me-0kyd",
             *       "x7bt-1nrw-c5ga-z9qh"
             *     ]
             */
            recovery_codes: string[];
        };
        SessionList: {
            data: {
                /**
                 * Format: uuid
                 * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
                 */
                id: string;
                /**
                 * @description Authentication methods (RFC 8176)
                 * @example [
                 *       "pwd"
                 *     ]
                 */
                amr: string[];
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                last_used_at: string;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                expires_at: string;
            }[];
        };
        IdentityList: {
            data: components["schemas"]["Identity"][];
        };
        EmailVerification: {
            /** @description Null: the address that the user has now was not verified */
            email_verified_at: string | null;
        };
        Jwks: {
            keys: ({
                /** @example EC */
                kty: string;
                /** @example UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk */
                kid: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        IssuerMetadata: {
            /**
             * Format: uri
             * @example https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            issuer: string;
            /**
             * Format: uri
             * @example https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f/.well-known/jwks.json
             */
            jwks_uri: string;
            /**
             * Format: uri
             * @example https://api.example.com/api/v1/client/user/auth/introspect
             */
            introspection_endpoint: string;
            /**
             * @example [
             *       "client_secret_basic"
             *     ]
             */
            token_endpoint_auth_methods_supported: string[];
            /**
             * @example [
             *       "ES256",
             *       "EdDSA",
             *       "RS256"
             *     ]
             */
            id_token_signing_alg_values_supported: string[];
            /**
             * @example [
             *       "public"
             *     ]
             */
            subject_types_supported: string[];
            /** @example [] */
            response_types_supported: string[];
        };
        EventFeed: {
            data: components["schemas"]["Event"][];
            /** @example MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy */
            next_cursor: string;
            has_more: boolean;
        };
        RevocationFeed: {
            data: components["schemas"]["Revocation"][];
            /** @example MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy */
            next_cursor: string;
            has_more: boolean;
        };
        Revocation: components["schemas"]["SessionRevocation"] | components["schemas"]["UserRevocation"] | components["schemas"]["SigningKeyRevocation"];
        /** @description The tokens of a session (`sid`) are dead. */
        SessionRevocation: {
            /** @constant */
            type: "session";
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            session_id: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            at: string;
        };
        /** @description The tokens of a user (`sub`) that were issued up to `not_before` are dead. */
        UserRevocation: {
            /** @constant */
            type: "user";
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            user_id: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            not_before: string;
            /**
             * Format: uuid
             * @description The session that a new password left alive; its tokens are not dead
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            except_session_id?: string;
        };
        /** @description Tokens that this key signed are dead. */
        SigningKeyRevocation: {
            /** @constant */
            type: "signing_key";
            /** @example UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk */
            kid: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            at: string;
        };
        CreatedWebhook: {
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /**
             * Format: uri
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @example [
             *       "user.*"
             *     ]
             */
            types: string[];
            /** @example Our CRM */
            description: string;
            is_active: boolean;
            /** @description Why the service switched it off: it answered 410, or failed for five days; null where the service did not */
            disabled_reason: ("gone" | "failing") | null;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            updated_at: string;
            /**
             * @description What verifies the signatures (Standard Webhooks 1.0), this once
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0Zqm2Vn3YVk=
             */
            secret: string;
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
        };
        Webhook: {
            /**
             * Format: uuid
             * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
             */
            id: string;
            /**
             * Format: uri
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @example [
             *       "user.*"
             *     ]
             */
            types: string[];
            /** @example Our CRM */
            description: string;
            is_active: boolean;
            /** @description Why the service switched it off: it answered 410, or failed for five days; null where the service did not */
            disabled_reason: ("gone" | "failing") | null;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-05-05T23:41:45.619Z
             */
            updated_at: string;
        };
        WebhookSecret: {
            /**
             * @description What verifies the signatures (Standard Webhooks 1.0), this once
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0Zqm2Vn3YVk=
             */
            secret: string;
        };
        WebhookAttempts: {
            data: {
                /**
                 * Format: uuid
                 * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
                 */
                id: string;
                /**
                 * Format: uuid
                 * @example 019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f
                 */
                event_id: string;
                /** @example user.created */
                type: string;
                /**
                 * Format: int32
                 * @example 1
                 */
                attempt: number;
                /** @description Of the answer; null: there was none */
                status: number | null;
                /**
                 * Format: date-time
                 * @example 2026-05-05T23:41:45.619Z
                 */
                attempted_at: string;
                /**
                 * Format: int32
                 * @example 112
                 */
                duration_ms: number;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The version of the user, for If-Match and If-None-Match (RFC 9110) */
        ETag: string;
        /** @description The user's path */
        Location: string;
        /** @description `true`: the answer of an earlier request with this Idempotency-Key */
        "Idempotent-Replayed": string;
        /** @description The request's id, which the server's log has too: quote it when you ask about an answer */
        "X-Request-Id": string;
        /** @description Try again after so many seconds (RFC 9110) */
        "Retry-After": number;
        /** @description How to authenticate (RFC 6750) */
        "WWW-Authenticate": string;
        /** @description The pages first, prev, next and last (RFC 8288); follow them, their cursors are opaque */
        Link: string;
        /** @description What is left (r) and for how many seconds (t): draft-ietf-httpapi-ratelimit-headers */
        RateLimit: string;
        /** @description The limit (q) in a window of so many seconds (w): draft-ietf-httpapi-ratelimit-headers */
        "RateLimit-Policy": string;
        /** @description The methods that the path has */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listUsers: {
        parameters: {
            query?: {
                /** @description From 1. Excludes cursor. */
                page?: number;
                /** @description Users a page. */
                limit?: number;
                /** @description Creation order, oldest first, unless given. */
                sort?: "created_at" | "-created_at" | "email" | "-email" | "name" | "-name";
                /** @description Opaque, from the Link header. Excludes page. */
                cursor?: string;
                /** @description Exact, after the same normalisation as on creation. */
                email?: string;
                /** @description Prefix of a word of the name, or of the e-mail, case-insensitive. */
                q?: string;
                /** @description Users who have this role. */
                role?: string;
                /** @description Later than this, a date and time with its offset. Sorts by created_at unless sort is given. */
                created_after?: string;
                /** @description Earlier than this, a date and time with its offset. */
                created_before?: string;
                is_active?: true | false;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users; total is exact */
            200: {
                headers: {
                    Link: components["headers"]["Link"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "email": "ada@example.com",
                     *           "name": "Ada Lovelace",
                     *           "roles": [
                     *             "admin",
                     *             "billing"
                     *           ],
                     *           "metadata": {
                     *             "plan": "pro"
                     *           },
                     *           "is_active": true,
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "updated_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "limit": 10,
                     *       "total": 1
                     *     }
                     */
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Lovelace",
                 *       "roles": [
                 *         "admin",
                 *         "billing"
                 *       ],
                 *       "metadata": {
                 *         "plan": "pro"
                 *       },
                 *       "password": "correct horse battery staple",
                 *       "is_active": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateUser"];
            };
        };
        responses: {
            /** @description The user */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `email_taken`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Answer 304 when the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description The user has not changed */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceUser: {
        parameters: {
            query?: {
                /** @description The session (`sid`) that a new password leaves alive; it ends every other one. */
                keep_session?: string;
            };
            header?: {
                /** @description Do it only when the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Lovelace",
                 *       "roles": [
                 *         "admin",
                 *         "billing"
                 *       ],
                 *       "metadata": {
                 *         "plan": "pro"
                 *       },
                 *       "password": "correct horse battery staple",
                 *       "is_active": true
                 *     }
                 */
                "application/json": components["schemas"]["ReplaceUser"];
            };
        };
        responses: {
            /** @description The user */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `email_taken` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed: `precondition_failed` */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Do it only when the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is gone */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed: `precondition_failed` */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchUser: {
        parameters: {
            query?: {
                /** @description The session (`sid`) that a new password leaves alive; it ends every other one. */
                keep_session?: string;
            };
            header?: {
                /** @description Do it only when the user still has one of these ETags (RFC 9110): "3", or a list of them, or *. `W/"3"` is `"3"`. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Lovelace",
                 *       "roles": [
                 *         "admin",
                 *         "billing"
                 *       ],
                 *       "password": "correct horse battery staple",
                 *       "is_active": true
                 *     }
                 */
                "application/json": components["schemas"]["PatchUser"];
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Lovelace",
                 *       "roles": [
                 *         "admin",
                 *         "billing"
                 *       ],
                 *       "password": "correct horse battery staple",
                 *       "is_active": true
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["PatchUser"];
            };
        };
        responses: {
            /** @description The user */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `email_taken` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition Failed: `precondition_failed` */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    activateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deactivateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "email": "ada@example.com",
                     *       "name": "Ada Lovelace",
                     *       "roles": [
                     *         "admin",
                     *         "billing"
                     *       ],
                     *       "metadata": {
                     *         "plan": "pro"
                     *       },
                     *       "is_active": true,
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ClientUser"];
                };
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the answer before; without it the oldest event */
                after?: string;
                /** @description Of events */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *         "email": "ada@example.com",
                     *         "name": "Ada Lovelace",
                     *         "roles": [
                     *           "admin",
                     *           "billing"
                     *         ],
                     *         "metadata": {
                     *           "plan": "pro"
                     *         },
                     *         "is_active": true,
                     *         "created_at": "2026-05-05T23:41:45.619Z",
                     *         "updated_at": "2026-05-05T23:41:45.619Z"
                     *       },
                     *       "sessions": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "amr": [
                     *             "pwd"
                     *           ],
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "last_used_at": "2026-05-05T23:41:45.619Z",
                     *           "expires_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ],
                     *       "two_factor": {
                     *         "totp": true,
                     *         "email": true,
                     *         "recovery_codes_left": 10
                     *       },
                     *       "identities": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "issuer": "https://accounts.google.com",
                     *           "subject": "110169484474386276334",
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "last_used_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ],
                     *       "verified_email": {
                     *         "email": "ada@example.com",
                     *         "verified_at": "2026-05-05T23:41:45.619Z"
                     *       },
                     *       "former_emails": [
                     *         "ada@example.com"
                     *       ],
                     *       "email_tokens": [
                     *         {
                     *           "purpose": "password_reset",
                     *           "email": "ada@example.com",
                     *           "expires_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ],
                     *       "events": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "type": "user.created",
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "actor": {
                     *             "type": "api_key",
                     *             "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f"
                     *           },
                     *           "request_id": "request-1",
                     *           "subject": {
                     *             "type": "user",
                     *             "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f"
                     *           },
                     *           "data": {
                     *             "changed": [
                     *               "name"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy",
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalData"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person is gone: a receipt */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "erased_at": "2026-05-05T23:41:45.619Z",
                     *       "removed": {
                     *         "clientele_users": 1,
                     *         "clientele_sessions": 2
                     *       },
                     *       "retained": [
                     *         {
                     *           "what": "clientele_events",
                     *           "why": "The audit log says what happened."
                     *         }
                     *       ],
                     *       "receipt": "eyJhbGciOiJFZERTQSJ9.eyJpZCI6IjAxOWRmYWUyIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validateToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *     }
                 */
                "application/json": components["schemas"]["ValidateToken"];
            };
        };
        responses: {
            /** @description The token is valid */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isValid": true,
                     *       "success_code": 200,
                     *       "user": {
                     *         "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *         "email": "ada@example.com",
                     *         "name": "Ada Lovelace",
                     *         "roles": [
                     *           "admin",
                     *           "billing"
                     *         ],
                     *         "metadata": {
                     *           "plan": "pro"
                     *         },
                     *         "is_active": true,
                     *         "created_at": "2026-05-05T23:41:45.619Z",
                     *         "updated_at": "2026-05-05T23:41:45.619Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TokenValidation"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `token_malformed`, `token_signature_invalid`, `token_expired`, `token_not_yet_valid`, `token_claims_invalid`, `token_unknown_key`, `token_revoked`, `token_user_not_found`, `token_user_inactive`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validateTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tokens": [
                 *         "Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ValidateTokens"];
            };
        };
        responses: {
            /** @description What has become of each, in their order: one that is not valid spoils no other */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "isValid": true,
                     *           "success_code": 200,
                     *           "user": {
                     *             "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *             "email": "ada@example.com",
                     *             "name": "Ada Lovelace",
                     *             "roles": [
                     *               "admin",
                     *               "billing"
                     *             ],
                     *             "metadata": {
                     *               "plan": "pro"
                     *             },
                     *             "is_active": true,
                     *             "created_at": "2026-05-05T23:41:45.619Z",
                     *             "updated_at": "2026-05-05T23:41:45.619Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TokenValidations"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectToken"];
            };
        };
        responses: {
            /** @description What is to be said of the token */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "iss": "urn:clientele:account:019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "sub": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "aud": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "client_id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "exp": 1778031705,
                     *       "iat": 1778024505,
                     *       "jti": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "sid": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "username": "ada@example.com",
                     *       "token_type": "Bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenIntrospection"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["LogIn"];
            };
        };
        responses: {
            /** @description The user is signed in */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success_code": 200,
                     *       "data": {
                     *         "token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                     *         "token_type": "Bearer",
                     *         "expires_in": 7200,
                     *         "refresh_token": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto",
                     *         "refresh_expires_in": 2592000
                     *       },
                     *       "user": {
                     *         "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *         "email": "ada@example.com",
                     *         "name": "Ada Lovelace",
                     *         "roles": [
                     *           "admin",
                     *           "billing"
                     *         ],
                     *         "metadata": {
                     *           "plan": "pro"
                     *         },
                     *         "is_active": true,
                     *         "created_at": "2026-05-05T23:41:45.619Z",
                     *         "updated_at": "2026-05-05T23:41:45.619Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description A second factor is asked for */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success_code": 202,
                     *       "data": {
                     *         "two_factor_required": true,
                     *         "challenge": "Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY",
                     *         "methods": [
                     *           "totp"
                     *         ],
                     *         "expires_in": 300
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TwoFactorRequired"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `credentials_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge": "Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY",
                 *       "method": "totp",
                 *       "code": "287082"
                 *     }
                 */
                "application/json": components["schemas"]["CompleteTwoFactor"];
            };
        };
        responses: {
            /** @description The user is signed in */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success_code": 200,
                     *       "data": {
                     *         "token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                     *         "token_type": "Bearer",
                     *         "expires_in": 7200,
                     *         "refresh_token": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto",
                     *         "refresh_expires_in": 2592000
                     *       },
                     *       "user": {
                     *         "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *         "email": "ada@example.com",
                     *         "name": "Ada Lovelace",
                     *         "roles": [
                     *           "admin",
                     *           "billing"
                     *         ],
                     *         "metadata": {
                     *           "plan": "pro"
                     *         },
                     *         "is_active": true,
                     *         "created_at": "2026-05-05T23:41:45.619Z",
                     *         "updated_at": "2026-05-05T23:41:45.619Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `challenge_invalid`, `two_factor_code_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mailTwoFactorCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge": "Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY"
                 *     }
                 */
                "application/json": components["schemas"]["ChallengeOnly"];
            };
        };
        responses: {
            /** @description The code goes out */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `challenge_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `two_factor_not_enrolled`, `mail_unavailable` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The second factors */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "totp": true,
                     *       "email": true,
                     *       "recovery_codes_left": 10
                     *     }
                     */
                    "application/json": components["schemas"]["TwoFactorState"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The password alone signs in */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enrolTotp: {
        parameters: {
            query?: {
                /** @description Adds the URI as a QR code in SVG. */
                qr?: "svg";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the app needs */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *       "otpauth_uri": "otpauth://totp/Acme:ada%40example.com?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30",
                     *       "qr_svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 49 49\"><path d=\"M2 2h7v1z\"/></svg>"
                     *     }
                     */
                    "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `two_factor_already_enrolled` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "287082"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmTotp"];
            };
        };
        responses: {
            /** @description The recovery codes, this once */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "7k3m-92xw-q4rt-v8bn",
                     *         "b5xd-0hqe-3wnz-m7ac",
                     *         "t9rf-6ykj-p2sv-1g8h",
                     *         "e4nw-zc5m-8xqb-r0td",
                     *         "v1hs-k7pa-w6fy-2jec",
                     *         "q8gz-4tbn-d3mx-9rkw",
                     *         "m0cy-xe6h-5vsj-f1pt",
                     *         "a2wk-r9dq-7bzg-n4hc",
                     *         "s6pj-f3vx-t8me-0kyd",
                     *         "x7bt-1nrw-c5ga-z9qh"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `two_factor_code_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `two_factor_not_enrolled`, `two_factor_already_enrolled` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery codes, this once */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "7k3m-92xw-q4rt-v8bn",
                     *         "b5xd-0hqe-3wnz-m7ac",
                     *         "t9rf-6ykj-p2sv-1g8h",
                     *         "e4nw-zc5m-8xqb-r0td",
                     *         "v1hs-k7pa-w6fy-2jec",
                     *         "q8gz-4tbn-d3mx-9rkw",
                     *         "m0cy-xe6h-5vsj-f1pt",
                     *         "a2wk-r9dq-7bzg-n4hc",
                     *         "s6pj-f3vx-t8me-0kyd",
                     *         "x7bt-1nrw-c5ga-z9qh"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `two_factor_not_enrolled` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enrolEmailFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The factor is enrolled */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `mail_unavailable` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto"
                 *     }
                 */
                "application/json": components["schemas"]["Refresh"];
            };
        };
        responses: {
            /** @description The session goes on */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success_code": 200,
                     *       "data": {
                     *         "token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlVyV25MY04wc0Z2V09iMlcwczBnTFZoSjlZeG1TNFk5WWhDa00zb1FiUGsifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbS9hcGkvdjEvY2xpZW50L2FjY291bnQvMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiYXVkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwiY2xpZW50X2lkIjoiMDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIiwic3ViIjoiMDE5ZGZhZTItOWMxMS03YjUyLThkM2UtNmI3ZjBhMWMyZDNlIiwiaWF0IjoxNzc4MDI0NTA1LCJleHAiOjE3NzgwMzE3MDUsImp0aSI6IjAxOWRmYWUzLTBiNWEtN2YxMC1hNGMyLTllOGQ3YzZiNWE0OSIsInNpZCI6IjAxOWRmYWUzLTBiNTktN2EyMS1iNmQ0LTFmMmUzZDRjNWI2YSIsImFtciI6WyJwd2QiXX0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                     *         "token_type": "Bearer",
                     *         "expires_in": 7200,
                     *         "refresh_token": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto",
                     *         "refresh_expires_in": 2592000
                     *       },
                     *       "user": {
                     *         "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *         "email": "ada@example.com",
                     *         "name": "Ada Lovelace",
                     *         "roles": [
                     *           "admin",
                     *           "billing"
                     *         ],
                     *         "metadata": {
                     *           "plan": "pro"
                     *         },
                     *         "is_active": true,
                     *         "created_at": "2026-05-05T23:41:45.619Z",
                     *         "updated_at": "2026-05-05T23:41:45.619Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `refresh_token_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto"
                 *     }
                 */
                "application/json": components["schemas"]["Refresh"];
            };
        };
        responses: {
            /** @description The session has ended; so it had if the token is unknown */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "amr": [
                     *             "pwd"
                     *           ],
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "last_used_at": "2026-05-05T23:41:45.619Z",
                     *           "expires_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No session is left */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `session_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identities */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "issuer": "https://accounts.google.com",
                     *           "subject": "110169484474386276334",
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "last_used_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["IdentityList"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer": "https://accounts.google.com",
                 *       "subject": "110169484474386276334"
                 *     }
                 */
                "application/json": components["schemas"]["LinkIdentity"];
            };
        };
        responses: {
            /** @description The user has had the identity already */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "issuer": "https://accounts.google.com",
                     *       "subject": "110169484474386276334",
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "last_used_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description The identity is linked */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "issuer": "https://accounts.google.com",
                     *       "subject": "110169484474386276334",
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "last_used_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `identity_taken`, `identity_limit_reached` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                identity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity is unlinked */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found`, `identity_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["EmailOnly"];
            };
        };
        responses: {
            /** @description A mail goes out, if a user has the address */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["ResetPassword"];
            };
        };
        responses: {
            /** @description The password is set */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `reset_token_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestEmailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["EmailOnly"];
            };
        };
        responses: {
            /** @description A mail goes out, if a user has the address */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: `rate_limited` */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `overloaded`, `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmEmail"];
            };
        };
        responses: {
            /** @description The address is verified */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `verification_token_invalid`, `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readEmailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The time, or null */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email_verified_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["EmailVerification"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `user_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readJwks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JWK set */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "EC",
                     *           "kid": "UrWnLcN0sFvWOb2W0s0gLVhJ9YxmS4Y9YhCkM3oQbPk"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Jwks"];
                };
            };
            /** @description Not Found: `account_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Method Not Allowed: `method_not_allowed` */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readOpenIdConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metadata */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "jwks_uri": "https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f/.well-known/jwks.json",
                     *       "introspection_endpoint": "https://api.example.com/api/v1/client/user/auth/introspect",
                     *       "token_endpoint_auth_methods_supported": [
                     *         "client_secret_basic"
                     *       ],
                     *       "id_token_signing_alg_values_supported": [
                     *         "ES256",
                     *         "EdDSA",
                     *         "RS256"
                     *       ],
                     *       "subject_types_supported": [
                     *         "public"
                     *       ],
                     *       "response_types_supported": []
                     *     }
                     */
                    "application/json": components["schemas"]["IssuerMetadata"];
                };
            };
            /** @description Not Found: `account_not_found`, `route_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Method Not Allowed: `method_not_allowed` */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metadata */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "jwks_uri": "https://api.example.com/api/v1/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f/.well-known/jwks.json",
                     *       "introspection_endpoint": "https://api.example.com/api/v1/client/user/auth/introspect",
                     *       "token_endpoint_auth_methods_supported": [
                     *         "client_secret_basic"
                     *       ],
                     *       "id_token_signing_alg_values_supported": [
                     *         "ES256",
                     *         "EdDSA",
                     *         "RS256"
                     *       ],
                     *       "subject_types_supported": [
                     *         "public"
                     *       ],
                     *       "response_types_supported": []
                     *     }
                     */
                    "application/json": components["schemas"]["IssuerMetadata"];
                };
            };
            /** @description Not Found: `account_not_found`, `route_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Method Not Allowed: `method_not_allowed` */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readEvents: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the answer before; without it the oldest event that is kept */
                after?: string;
                limit?: number;
                /** @description For how many seconds to wait where there is nothing */
                wait?: number;
                /** @description Types of events, separated by commas: `user.created`, or a group like `user.*` */
                type?: string;
                /** @description Only what is about this user */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next events */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "type": "user.created",
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "actor": {
                     *             "type": "api_key",
                     *             "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f"
                     *           },
                     *           "request_id": "request-1",
                     *           "subject": {
                     *             "type": "user",
                     *             "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f"
                     *           },
                     *           "data": {
                     *             "changed": [
                     *               "name"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy",
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["EventFeed"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Gone: `cursor_expired` */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readRevocations: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the answer before; without it all that can still matter */
                after?: string;
                limit?: number;
                /** @description For how many seconds to wait where there is nothing */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next revocations */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "type": "session",
                     *           "session_id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ],
                     *       "next_cursor": "MDE5ZGZhZTItNmE0ZC03YzNlLTliMWYtMmY0YTVjNmQ3ZThmIDQy",
                     *       "has_more": true
                     *     }
                     */
                    "application/json": components["schemas"]["RevocationFeed"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Gone: `cursor_expired` */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "url": "https://example.com/webhooks",
                     *           "types": [
                     *             "user.*"
                     *           ],
                     *           "description": "Our CRM",
                     *           "is_active": true,
                     *           "disabled_reason": "gone",
                     *           "created_at": "2026-05-05T23:41:45.619Z",
                     *           "updated_at": "2026-05-05T23:41:45.619Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/webhooks",
                 *       "types": [
                 *         "user.*"
                 *       ],
                 *       "description": "Our CRM",
                 *       "is_active": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "url": "https://example.com/webhooks",
                     *       "types": [
                     *         "user.*"
                     *       ],
                     *       "description": "Our CRM",
                     *       "is_active": true,
                     *       "disabled_reason": "gone",
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0Zqm2Vn3YVk="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `webhook_limit_reached` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "url": "https://example.com/webhooks",
                     *       "types": [
                     *         "user.*"
                     *       ],
                     *       "description": "Our CRM",
                     *       "is_active": true,
                     *       "disabled_reason": "gone",
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is gone */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/webhooks",
                 *       "types": [
                 *         "user.*"
                 *       ],
                 *       "description": "Our CRM",
                 *       "is_active": true
                 *     }
                 */
                "application/json": components["schemas"]["PatchWebhook"];
            };
        };
        responses: {
            /** @description The endpoint */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *       "url": "https://example.com/webhooks",
                     *       "types": [
                     *         "user.*"
                     *       ],
                     *       "description": "Our CRM",
                     *       "is_active": true,
                     *       "disabled_reason": "gone",
                     *       "created_at": "2026-05-05T23:41:45.619Z",
                     *       "updated_at": "2026-05-05T23:41:45.619Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description Bad Request: `header_repeated`, `malformed_json` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0Zqm2Vn3YVk="
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test goes out */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name that you give to this request, so that you can repeat it: for 24 hours a request with the same key and the same input is answered as the first was, and does nothing. Bare or in quotes. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": "AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxQ"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayWebhook"];
            };
        };
        responses: {
            /** @description The events go out again, with the ids that they had */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `header_repeated`, `malformed_json`, `header_invalid` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: `webhook_inactive`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Gone: `cursor_expired` */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large: `body_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: `media_type_unsupported` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `idempotency_key_reused`, `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100 attempts */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "event_id": "019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f",
                     *           "type": "user.created",
                     *           "attempt": 1,
                     *           "status": 204,
                     *           "attempted_at": "2026-05-05T23:41:45.619Z",
                     *           "duration_ms": 112
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAttempts"];
                };
            };
            /** @description Bad Request: `header_repeated` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: `api_key_missing`, `api_key_invalid` */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: `scope_insufficient` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: `webhook_not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity: `validation_failed` */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: `internal_error` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: `storage_unavailable` */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI document */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/json": {
                        /** @example 3.1.1 */
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Method Not Allowed: `method_not_allowed` */
            405: {
                headers: {
                    Allow: components["headers"]["Allow"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
