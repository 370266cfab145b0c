/** Where the console is, below the mount. */
export const consolePath = '/client/console'
/** What stands before the paths of the customers' API there */
export const apiPath = `${consolePath}/api`
