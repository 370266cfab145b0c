/** The path of SCIM below the mount. */
export const scimPath = '/scim/v2'
/** The media type (RFC 7644, section 8.1) */
export const scimType = 'application/scim+json'
