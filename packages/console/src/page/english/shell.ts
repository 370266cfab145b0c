export const shell = {
  account: 'Account',
  allAccounts: 'All accounts',
  dark: 'Dark colours',
  light: 'Light colours',
  menu: 'Menu',
  navigation: 'Screens',
  operator: 'Operator',
  operatorScreens: 'For operators',
  signOut: 'Sign out',
  skip: 'Skip to the content',
  stillSignedIn: 'You may still be signed in',
}
