/** How long an impersonation may live */
export const maxImpersonationSeconds = 3600
