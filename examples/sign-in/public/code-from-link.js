// The link of the mail has its token behind #. The user presses the button: a page that is only opened signs nobody in.
function takeToken() {
  const token = location.hash.slice(1)
  if (token === '') return
  document.getElementById('code').value = token
  history.replaceState(null, '', location.pathname)
}

takeToken()
// The link may be opened where this page is open already.
addEventListener('hashchange', takeToken)
