export default {
  // Bundled, they would not find their own files.
  serverExternalPackages: ['@clientele/core', 'better-sqlite3'],
  // Clientele answers paths with a trailing slash: 404.
  skipTrailingSlashRedirect: true,
}
