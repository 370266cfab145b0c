/** The path of the console below the mount. */
export const consolePath = '/client/console'
/** The prefix of the customers' API there */
export const apiPath = `${consolePath}/api`
