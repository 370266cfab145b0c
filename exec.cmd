@rem The scripts of package.json begin with `exec`: sh then becomes the command, so that it gets npm's signals. cmd finds this file.
@%*
