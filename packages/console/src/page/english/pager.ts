export const pager = {
  label: 'Pages',
  next: 'Next',
  of: (last: string) => `of ${last}`,
  page: 'Page',
  previous: 'Previous',
  range: (first: string, last: string, total: string) => `${first} to ${last} of ${total}`,
}
