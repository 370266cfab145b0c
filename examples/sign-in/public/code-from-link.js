// The link of the mail has its token behind #. The user presses the button: a page that is only opened signs nobody in.
const token = location.hash.slice(1)
if (token !== '') {
  document.getElementById('code').value = token
  history.replaceState(null, '', location.pathname)
}
