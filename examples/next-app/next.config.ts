export default {
  // Bundled they would not find their own files.
  serverExternalPackages: ['@clientele/core', 'better-sqlite3'],
  // What has a slash too many is answered by Clientele: 404.
  skipTrailingSlashRedirect: true,
}
